import HTTPResumption
import HTTPTransport

extension DownloadError {
    /// An error from a transfer that failed.
    init(_ error: TransportError, url: HTTPURL) {
        let (code, what, advice, isRetryable) = Self.words(for: error.kind, url: url)
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        self.init(code, "\(what)\(detail). \(advice)", isRetryable: isRetryable, underlying: error)
    }

    // An error of the connection names the host and port; an error of the response names the file.
    private static func words(
        for kind: TransportError.Kind,
        url: HTTPURL
    ) -> (Code, what: String, advice: String, isRetryable: Bool) {
        let host = url.host
        let server = "\(host):\(url.port)"
        let shown = url.shown
        return switch kind {
        case .hostNotFound:
            (.hostNotFound, "The host \(host) was not found", "Check the name and the network connection.", true)
        case .connectionFailed:
            (
                .connectionFailed, "Cannot connect to \(server)", "Check that the server is running and reachable.",
                true
            )
        case .proxy:
            (
                .connectionFailed, "Cannot use the proxy for \(host)",
                "Check the proxy settings, such as https_proxy and no_proxy.", true
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
