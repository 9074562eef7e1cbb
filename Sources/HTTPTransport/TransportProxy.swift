package import SpateHTTPSyntax

/// By which proxy requests go.
package enum TransportProxy: Hashable, Sendable {
    /// The environment's proxy for a URL, if there is one.
    case environment
    case none
    /// This one, except to the hosts in the variable `no_proxy`.
    indirect case given(ProxyURL)
}

/// The URL of a proxy. Its user and password are kept apart, so the rest may be printed.
package struct ProxyURL: Hashable, Sendable {
    package enum Fault: Error, Hashable, Sendable {
        case scheme
        case url(HTTPURLError)
        /// It has a path or a query.
        case surplus
    }

    /// The scheme, the host and the port.
    let text: String
    /// The host and the port, for messages.
    let name: String
    let credentials: Credentials?
    let isSecure: Bool

    /// Those that libcurl knows.
    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// - Parameter text: a URL. Without a scheme, it is an `http` proxy; without a port, it is at libcurl's usual one.
    package init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.count == 2 ? parts[0].lowercased() : "http"
        guard Self.schemes.contains(scheme) else { throw .scheme }
        let rest = parts[parts.count - 1]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard rest.count - authority.count <= (rest.hasSuffix("/") ? 1 : 0) else { throw .surplus }
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL("http://\(authority)/")
        } catch {
            throw .url(error)
        }
        // An address has colons, too, but then the brackets end it.
        let hasPort = authority.last?.isNumber ?? false && authority.split(separator: "@").last?.contains(":") ?? false
        let port = hasPort ? url.port : scheme == "https" ? 443 : 1080
        name = "\(url.host.contains(":") ? "[\(url.host)]" : url.host):\(port)"
        self.text = "\(scheme)://\(name)"
        credentials = url.credentials
        isSecure = scheme == "https"
    }
}
