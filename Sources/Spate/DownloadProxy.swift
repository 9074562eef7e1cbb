public import Foundation
import SpateHTTPTransport

/// By which proxy a manager sends its requests.
///
///     configuration.proxy = try DownloadProxy("socks5h://127.0.0.1:9050")
public enum DownloadProxy: Sendable, Hashable {
    /// The environment's, if there is one: `http_proxy` for `http` URLs, `https_proxy` for `https` URLs, and `all_proxy`
    /// for both. `no_proxy` has exceptions. Whether there is one is found out when the manager is created.
    case environment
    /// None, whatever the environment says.
    case direct
    /// This one: `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`. By `socks4a` and `socks5h` the proxy
    /// looks names up. Without a port it is 443 for `https`, and 1080 for others, as with curl.
    ///
    /// A user and password in the URL are sent only to the proxy, and shown nowhere. The hosts that the variable
    /// `no_proxy` names are asked directly, as with curl.
    case url(URL)

    /// The proxy of a URL. Without a scheme, as in `proxy.example.org:3128`, it is an `http` proxy.
    ///
    /// - Throws: a ``DownloadError`` with the code ``DownloadError/Code/proxy`` if this cannot be a proxy. Its message does
    ///   not repeat the text, which may have a password.
    public init(_ text: String) throws(DownloadError) {
        _ = try TransportProxy(text)
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)") else {
            throw DownloadError.unusableProxy("it is not a URL")
        }
        self = .url(url)
    }
}

extension TransportProxy {
    init(_ proxy: DownloadProxy) throws(DownloadError) {
        switch proxy {
        case .environment: self = .environment
        case .direct: self = .none
        case .url(let url): try self.init(url.absoluteString)
        }
    }

    fileprivate init(_ text: String) throws(DownloadError) {
        do throws(ProxyURL.Fault) {
            self = .given(try ProxyURL(text))
        } catch {
            switch error {
            case .scheme:
                throw .unusableProxy("its scheme is not one of http, https, socks4, socks4a, socks5 and socks5h")
            case .surplus: throw .unusableProxy("there is more after its host and port")
            case .url(let fault): throw .unusableProxy("\(fault)")
            }
        }
    }
}
