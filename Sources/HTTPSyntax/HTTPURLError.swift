/// Why a text is not a URL that Spate can fetch.
package enum HTTPURLError: Error, Hashable, Sendable {
    case notAURL
    case unsupportedScheme(String)
    case missingHost
    case invalidHost
    case invalidPort
    case invalidCredentials
    case controlCharacter
    case tooLong
}

extension HTTPURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAURL: "this is not an absolute URL, such as https://example.org/file"
        case .unsupportedScheme(let scheme): "the URL scheme \"\(scheme)\" is not supported, only http and https are"
        case .missingHost: "the URL names no host"
        case .invalidHost: "the URL's host has an invalid character; write a name that is not ASCII in Punycode"
        case .invalidPort: "the URL's port is not a number from 1 to 65535"
        case .invalidCredentials: "the URL's user name or password must be percent-encoded UTF-8"
        case .controlCharacter: "the URL has a control character, such as a line break"
        case .tooLong: "the URL is longer than \(HTTPURL.maximumLength) bytes"
        }
    }
}
