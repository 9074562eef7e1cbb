package import SpateHTTPSyntax

/// Why a redirect is not followed.
package enum RedirectFault: Error, Hashable, Sendable {
    case missingLocation
    /// Several different Location fields.
    case ambiguousLocation
    case invalidLocation(HTTPURLError)
    case unsupportedScheme(String)
    /// From https to http.
    case insecure(HTTPURL)
    case loop(HTTPURL)
    case tooManyHops(Int)
}

extension RedirectFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missingLocation: "the server sent a redirect without a Location"
        case .ambiguousLocation: "the server sent a redirect with several different Locations"
        case .invalidLocation(let error): "the server redirected to an invalid URL: \(error)"
        case .unsupportedScheme(let scheme): "the server redirected to a URL with the scheme \"\(scheme)\""
        case .insecure(let url): "the server redirected from https to the unencrypted \(url.shown)"
        case .loop: "the server redirected in a loop"
        case .tooManyHops(let count): "the server redirected more than \(count) times"
        }
    }
}
