import HTTPResumption
import HTTPTransport

extension DownloadError {
    /// What a transport's failure means to the user of a download.
    init(_ error: TransportError, url: HTTPURL) {
        let (code, what, advice, isRetryable) = Self.words(for: error.kind, host: url.host, port: url.port)
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        let sentence = "\(what)\(detail)."
        let message = advice.isEmpty ? sentence : "\(sentence) \(advice)"
        self.init(code, message, isRetryable: isRetryable, underlying: error)
    }

    private static func words(
        for kind: TransportError.Kind,
        host: String,
        port: Int
    ) -> (Code, what: String, advice: String, isRetryable: Bool) {
        switch kind {
        case .hostNotFound:
            (.hostNotFound, "The host \(host) was not found", "Check its name and the network connection.", true)
        case .connectionFailed:
            (.connectionFailed, "No connection to \(host), port \(port), could be made", "", true)
        case .proxy:
            (.connectionFailed, "The proxy for \(host) could not be used", "Check the proxy settings.", true)
        case .tlsHandshake:
            (.tls, "No secure connection to \(host) could be agreed on", "", false)
        case .tlsUntrusted:
            (.tls, "The certificate of \(host) is not trusted", "Where it is your own, name its CA file.", false)
        case .tlsConfiguration:
            (.tls, "The file of trusted certificates cannot be used", "Check that it exists and holds PEM.", false)
        case .connectTimeout:
            (.timedOut, "Connecting to \(host) took too long", "", true)
        case .headTimeout:
            (.timedOut, "\(host) took too long to answer", "", true)
        case .stalled:
            (.timedOut, "\(host) stopped sending", "", true)
        case .emptyReply:
            (.connectionFailed, "\(host) closed the connection without an answer", "", true)
        case .broken:
            (.connectionFailed, "The connection to \(host) broke before the file was complete", "", true)
        case .malformedChunks:
            (.badResponse, "\(host) sent a malformed message", "", true)
        case .malformedResponse:
            (.badResponse, "\(host) sent something that is not HTTP", "", false)
        case .headTooLarge:
            (.badResponse, "\(host) sent far too many header fields", "", false)
        case .interface:
            (.connectionFailed, "The network interface that was asked for cannot be used", "", false)
        case .other:
            (.connectionFailed, "The transfer from \(host) failed", "", true)
        }
    }
}
