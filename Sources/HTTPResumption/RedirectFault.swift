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
    /// No redirect is followed.
    case notWanted(HTTPURL)
    /// Only redirects within an origin are followed.
    case otherOrigin(HTTPURL)
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
        case .tooManyHops(1): "the server redirected more than once"
        case .tooManyHops(let count): "the server redirected more than \(count) times"
        case .notWanted(let url): "the server redirected to \(url.shown)"
        case .otherOrigin(let url): "the server redirected to another origin, \(url.shown)"
        }
    }
}
