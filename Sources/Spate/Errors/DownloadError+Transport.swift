import HTTPResumption
import HTTPSyntax
import HTTPTransport

extension DownloadError {
    /// An error from a failed transfer.
    ///
    /// - Parameters:
    ///   - url: the URL for the message.
    ///   - address: the requested URL, if different. The message names only its host and port.
    init(_ error: TransportError, url: HTTPURL, at address: HTTPURL? = nil) {
        let (code, what, advice, isRetryable) = Self.words(for: error, url: url, at: address ?? url)
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        self.init(code, "\(what)\(detail). \(advice)", isRetryable: isRetryable, underlying: error)
        if case .proxyRefused(let status?, _) = error.kind { statusCode = status }
    }

    private typealias Words = (Code, what: String, advice: String, isRetryable: Bool)

    private static let checkTheProxy =
        "Check that the proxy is running, and the variables https_proxy and no_proxy."

    /// Advice after a proxy's status, or after a SOCKS proxy's refusal.
    static func proxyAdvice(_ status: Int?, hasCredentials: Bool = false) -> String {
        guard let status else { return "Check the user and password in the proxy's URL, and what the proxy allows." }
        return switch status {
        case 407 where hasCredentials: "Check the user and password in the proxy's URL."
        case 407: "Give a user and password in the proxy's URL."
        case _ where ResponseFault.isRetryable(status: status): "Try again later."
        default: "Ask the proxy's operator to allow it, or name the host in no_proxy."
        }
    }

    // A connection error names the host and port; a response error names the file.
    private static func words(for error: TransportError, url: HTTPURL, at address: HTTPURL) -> Words {
        let host = address.host
        let server = "\(host):\(address.port)"
        let shown = url.shown
        let proxy = error.proxy.map { "the proxy \($0)" } ?? "the proxy"
        return switch error.kind {
        case .hostNotFound:
            (.hostNotFound, "The host \(host) was not found", "Check the name and the network connection.", true)
        case .connectionFailed:
            (
                .connectionFailed, "Cannot connect to \(server)", "Check that the server is running and reachable.",
                true
            )
        case .proxy:
            (.proxy, "Cannot reach \(server) through \(proxy)", checkTheProxy, true)
        case .beyondProxy:
            (
                .proxy, "\(sentence(proxy)) cannot connect to \(server)",
                "Check that the server is running, and that the proxy may reach it.", true
            )
        case .connectTimeout where error.proxy != nil:
            (.proxy, "Connecting to \(server) through \(proxy) took too long", checkTheProxy, true)
        case .proxySettings:
            (.proxy, "Cannot use \(proxy) for \(server)", "Check the variables https_proxy and all_proxy.", false)
        case .proxyRefused(let status, let hasCredentials):
            (
                .proxy,
                "\(sentence(proxy)) \(status.map { "answered with status \($0)" } ?? "refused") when asked for \(server)",
                proxyAdvice(status, hasCredentials: hasCredentials),
                status.map { ResponseFault.isRetryable(status: $0) } ?? false
            )
        case .tlsHandshake:
            (.tls, "The TLS handshake with \(server) failed", "Check that this port serves https.", false)
        case .tlsUntrusted:
            (
                .tls, "The certificate of \(host) is not trusted",
                "Check the host name and the clock; for a server of your own, give its CA file.", false
            )
        case .tlsConfiguration:
            (.tls, "Cannot use the file of trusted certificates", "Check that it exists and is PEM.", false)
        case .connectTimeout:
            (
                .timedOut, "Connecting to \(server) took too long",
                "Check the network connection, or allow more time.", true
            )
        case .headTimeout:
            (.timedOut, "\(host) took too long to respond for \(shown)", "Try again later, or allow more time.", true)
        case .stalled:
            (.timedOut, "\(host) stopped sending \(shown)", "Try again to get the rest.", true)
        case .emptyReply:
            (
                .connectionFailed, "\(host) closed the connection without a response for \(shown)",
                "Try again later.", true
            )
        case .broken:
            (
                .connectionFailed, "The connection to \(host) broke before \(shown) was complete",
                "Try again to get the rest.", true
            )
        case .malformedChunks:
            (
                .badResponse, "\(host) sent a malformed response body for \(shown)",
                "Try again, or report it to the server's operator.", true
            )
        case .malformedResponse:
            (
                .badResponse, "\(server) sent something that is not HTTP for \(shown)",
                "Check the URL's scheme and port.", false
            )
        case .headTooLarge:
            (
                .badResponse, "\(host) sent too many response headers for \(shown)",
                "Report it to the server's operator.", false
            )
        case .interface:
            (
                .connectionFailed, "Cannot use the configured network interface",
                "Check that it exists and is up.", false
            )
        case .other:
            (.connectionFailed, "The transfer of \(shown) failed", "Try again later.", true)
        }
    }
}
