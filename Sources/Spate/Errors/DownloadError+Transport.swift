import HTTPResumption
import HTTPTransport

extension DownloadError {
    /// What a transport's failure means to the user of a download.
    init(_ error: TransportError, url: HTTPURL) {
        let (code, what, advice, isRetryable) = Self.words(for: error.kind, url: url)
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        self.init(code, "\(what)\(detail). \(advice)", isRetryable: isRetryable, underlying: error)
    }

    // What concerns the machine names it and its port, what concerns the file names the file.
    private static func words(
        for kind: TransportError.Kind,
        url: HTTPURL
    ) -> (Code, what: String, advice: String, isRetryable: Bool) {
        let host = url.host
        let server = "\(host):\(url.port)"
        let place = url.shown
        return switch kind {
        case .hostNotFound:
            (.hostNotFound, "The host \(host) was not found", "Check its name and the network connection.", true)
        case .connectionFailed:
            (
                .connectionFailed, "No connection to \(server) could be made",
                "Check that it is running and can be reached from here.", true
            )
        case .proxy:
            (
                .connectionFailed, "The proxy for \(host) could not be used",
                "Check the proxy settings, such as https_proxy and no_proxy.", true
            )
        case .tlsHandshake:
            (.tls, "No secure connection to \(server) could be agreed on", "Check that this port speaks https.", false)
        case .tlsUntrusted:
            (
                .tls, "The certificate of \(host) is not trusted",
                "Check the host's name and the clock; where it is your own, name its CA file.", false
            )
        case .tlsConfiguration:
            (.tls, "The file of trusted certificates cannot be used", "Check that it exists and holds PEM.", false)
        case .connectTimeout:
            (
                .timedOut, "Connecting to \(server) took too long",
                "Check the network connection, or allow more time.", true
            )
        case .headTimeout:
            (.timedOut, "\(host) took too long to answer for \(place)", "Try again later, or allow more time.", true)
        case .stalled:
            (.timedOut, "\(host) stopped sending \(place)", "Try again to get the rest.", true)
        case .emptyReply:
            (
                .connectionFailed, "\(host) closed the connection without an answer for \(place)",
                "Try again later.", true
            )
        case .broken:
            (
                .connectionFailed, "The connection to \(host) broke before \(place) was complete",
                "Try again to get the rest.", true
            )
        case .malformedChunks:
            (
                .badResponse, "\(host) sent a malformed message for \(place)",
                "Try again; if it stays so, the server has to be mended.", true
            )
        case .malformedResponse:
            (
                .badResponse, "\(server) sent something that is not HTTP for \(place)",
                "Check the URL's scheme and port.", false
            )
        case .headTooLarge:
            (
                .badResponse, "\(host) sent far too many header fields for \(place)",
                "The server has to be mended.", false
            )
        case .interface:
            (
                .connectionFailed, "The network interface that was asked for cannot be used",
                "Check its name, and that it is up.", false
            )
        case .other:
            (.connectionFailed, "The transfer of \(place) failed", "Try again later.", true)
        }
    }
}
