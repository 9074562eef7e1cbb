/// Why a redirect is not followed.
package enum RedirectFault: Error, Hashable, Sendable {
    case missingLocation
    /// Several Location fields that differ.
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
        case .missingLocation: "the server redirected without saying where to"
        case .ambiguousLocation: "the server redirected to several places at once"
        case .invalidLocation(let error): "the server redirected to something that cannot be fetched: \(error)"
        case .unsupportedScheme(let scheme): "the server redirected to a URL of the scheme \"\(scheme)\""
        case .insecure(let url): "the server redirected from https to the unprotected \(url.shown)"
        case .loop(let url): "the server redirected in a circle, back to \(url.shown)"
        case .tooManyHops(let count): "the server redirected more than \(count) times"
        }
    }
}
