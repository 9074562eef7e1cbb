import CSpateCurl
import SpateHTTPSyntax

/// Finds failures of a proxy. libcurl reports most of them like failures of a server.
struct ProxyFailure {
    let handle: CurlHandle
    let request: TransportRequest

    /// The error if the transfer failed at a proxy; `nil` if it did not.
    ///
    /// - Parameter error: The error as libcurl reports it.
    func error(code: CInt, _ error: TransportError) -> TransportError? {
        let proxy = UsedProxy(for: request.url, request.settings.proxy)
        guard let kind = kind(code: Int(code), error, proxy) else { return nil }
        // libcurl quotes the variable's value, including the password.
        let detail = isUnsupported(error) ? "unsupported by this libcurl, or malformed" : error.detail
        var failure = TransportError(kind, detail: detail, proxy: proxy?.name)
        failure.hasGivenProxy = proxy?.isGiven ?? false
        return failure
    }

    private func kind(code: Int, _ error: TransportError, _ proxy: UsedProxy?) -> TransportError.Kind? {
        if isUnsupported(error) { return .proxySettings }
        let answer = handle.number(SPATE_CURLINFO_HTTP_CONNECTCODE) ?? 0
        guard answer / 100 != 2 else { return speaksNoTLS(error) ? .notTLSBehindProxy : nil }
        let hasCredentials = proxy?.hasCredentials ?? false
        if answer >= 300 { return .proxyRefused(status: answer, hasCredentials: hasCredentials) }
        if error.kind == .proxy {
            return switch socksAnswer {
            case .refused: .proxyRefused(status: nil, hasCredentials: hasCredentials)
            case .unreachable: .beyondProxy
            case nil: .proxy
            }
        }
        guard let proxy, isConnecting, handle.number(SPATE_CURLINFO_USED_PROXY) != 0 else { return nil }
        switch code {
        case SPATE_CURLE_OPERATION_TIMEDOUT: return .connectTimeout
        case SPATE_CURLE_COULDNT_CONNECT, SPATE_CURLE_RECV_ERROR, SPATE_CURLE_SEND_ERROR, SPATE_CURLE_GOT_NOTHING:
            return .proxy
        // Not HTTP: nobody but the proxy can have said it yet.
        case SPATE_CURLE_UNSUPPORTED_PROTOCOL, SPATE_CURLE_WEIRD_SERVER_REPLY: return .proxy
        default:
            let isTLS = [.tlsHandshake, .tlsUntrusted, .tlsConfiguration].contains(error.kind)
            return isTLS && proxy.isSecure ? .proxySettings : nil
        }
    }

    /// Whether something else than TLS came through the tunnel, such as a page of the proxy.
    private func speaksNoTLS(_ error: TransportError) -> Bool {
        let signs = ["wrong version number", "packet length too long", "http request", "unexpected TLS packet"]
        return error.kind == .tlsHandshake && isConnecting && signs.contains { error.detail.contains($0) }
    }

    private func isUnsupported(_ error: TransportError) -> Bool {
        ["Unsupported proxy", "Unsupported pre-proxy"].contains { error.detail.hasPrefix($0) }
    }

    /// Whether the connection, or the tunnel through a proxy, was not established yet.
    private var isConnecting: Bool { handle.connectTime == nil }

    private enum SOCKSAnswer {
        /// It refuses the credentials or the destination.
        case refused
        /// It cannot connect to the destination.
        case unreachable
    }

    /// `nil` if no SOCKS proxy has said why it does not connect.
    private var socksAnswer: SOCKSAnswer? {
        switch handle.number(SPATE_CURLINFO_PROXY_ERROR) {
        case SPATE_CURLPX_NO_AUTH, SPATE_CURLPX_REPLY_NOT_ALLOWED, SPATE_CURLPX_USER_REJECTED: .refused
        case let number? where Self.replies.contains(number): .unreachable
        default: nil
        }
    }

    private static let replies = SPATE_CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED...SPATE_CURLPX_REPLY_UNASSIGNED
}
