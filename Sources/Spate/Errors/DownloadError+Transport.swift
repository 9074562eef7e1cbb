import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport

extension DownloadError {
    /// An error from a failed transfer.
    ///
    /// - Parameters:
    ///   - address: the requested URL. Only errors of a proxy name its host and port in any case.
    ///   - elsewhere: its host, if that is not the one of the download's URL.
    init(_ error: TransportError, _ address: HTTPURL, at elsewhere: String?) {
        let (code, what, advice, isRetryable) = Self.words(for: error, address, elsewhere)
        self.init(code, advice.map { "\(what). \($0)" } ?? "\(what).", isRetryable: isRetryable, underlying: error)
        if code != .proxy { reason = what }
        if case .proxyRefused(let status?, _) = error.kind { statusCode = status }
    }

    /// Less has arrived than the program demands.
    ///
    /// - Parameter elsewhere: the server's host, if it is not the one of the download's URL.
    static func tooSlow(_ minimum: MinimumSpeed, at elsewhere: String?) -> DownloadError {
        let speed = DownloadFormat.speed(Double(minimum.bytesPerSecond))
        let what =
            "The server\(elsewhere.map { " \($0)" } ?? "") sent less than \(speed) for \(DownloadFormat.time(minimum.period))"
        var error = DownloadError(.timedOut, "\(what). Try again to get the rest, or allow less.", isRetryable: true)
        error.reason = what
        return error
    }

    private typealias Words = (Code, what: String, advice: String?, isRetryable: Bool)

    private static func checkTheProxy(_ error: TransportError) -> String {
        "Check that the proxy is running, and "
            + (error.hasGivenProxy ? "its URL." : "the variables https_proxy and no_proxy.")
    }

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

    private static func words(for error: TransportError, _ address: HTTPURL, _ elsewhere: String?) -> Words {
        if error.proxy != nil || error.isOfProxy { return proxyWords(for: error, "\(address.host):\(address.port)") }
        // Why, in the words of libcurl or of the system.
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        let (place, host) = (place(elsewhere), elsewhere.map { " \($0)" } ?? "")
        return switch error.kind {
        case .hostNotFound: (.hostNotFound, "Host\(host) not found", "Check the name and the network connection.", true)
        case .addressNotAllowed:
            (
                .addressNotAllowed,
                "The address \(error.address ?? "")\(elsewhere.map { " of \($0)" } ?? "") is not allowed",
                "Check the URL, or allow the address.", false
            )
        case .connectionFailed:
            (
                .connectionFailed, error.systemReason.map { $0 + place } ?? "Cannot connect\(place)\(detail)",
                "Check that the server is running and reachable.", true
            )
        case .tlsHandshake:
            (.tls, "The TLS handshake failed\(place)\(detail)", "Check that this port serves https.", false)
        case .tlsUntrusted:
            (
                .tls, "The certificate\(elsewhere.map { " of \($0)" } ?? "") is not trusted\(detail)",
                "Check the host name and the clock; for a server of your own, give its CA file.", false
            )
        case .tlsConfiguration:
            (.tls, "Cannot use the file of trusted certificates\(detail)", "Check that it exists and is PEM.", false)
        case .clientCertificateUnusable:
            (
                .tls, "The client certificate cannot be used\(place)\(detail)",
                "Check that certificate and key belong together.", false
            )
        case .clientCertificateMissing:
            (.tls, "The server\(host) asks for a client certificate", "Give the request one that it accepts.", false)
        case .clientCertificateRefused:
            (
                .tls, "The server\(host) does not accept the client certificate",
                "Check that it is for this server, and valid today.", false
            )
        case .connectTimeout:
            (
                .timedOut, "Connecting\(elsewhere.map { " to \($0)" } ?? "") took too long",
                "Check the network connection, or allow more time.", true
            )
        case .headTimeout:
            (.timedOut, "The server\(host) took too long to respond", "Try again later, or allow more time.", true)
        case .stalled: (.timedOut, "The server\(host) stopped sending", "Try again to get the rest.", true)
        case .emptyReply:
            (.connectionFailed, "The server\(host) closed the connection without a response", nil, true)
        case .broken:
            (
                .connectionFailed, "The connection\(elsewhere.map { " to \($0)" } ?? "") broke",
                "Try again to get the rest.", true
            )
        case .malformedChunks:
            (
                .badResponse, "The server\(host) sent a malformed response body\(detail)",
                "Try again, or report it to the server's operator.", true
            )
        case .malformedResponse:
            (
                .badResponse, "The server\(host) sent something that is not HTTP\(detail)",
                "Check the URL's scheme and port.", false
            )
        case .headTooLarge:
            (
                .badResponse, "The server\(host) sent too many response headers\(detail)",
                "Report it to the server's operator.", false
            )
        case .interface:
            (
                .connectionFailed, "Cannot use the configured network interface\(detail)",
                "Check that it exists and is up.", false
            )
        case .proxy, .proxyRefused, .beyondProxy, .notTLSBehindProxy, .proxySettings, .other:
            (.connectionFailed, "The transfer failed\(place)\(detail)", "Try again later.", true)
        }
    }

    /// - Parameter server: the host and port of the requested URL.
    private static func proxyWords(for error: TransportError, _ server: String) -> Words {
        let proxy = error.proxy.map { "the proxy \($0)" } ?? "the proxy"
        let detail = error.detail.isEmpty ? "" : " (\(error.detail))"
        return switch error.kind {
        case .addressNotAllowed:
            (
                .addressNotAllowed, "The proxy is not used, since it would choose the address",
                "Connect without it, or trust it.", false
            )
        case .beyondProxy:
            (
                .proxy, "\(sentence(proxy)) cannot connect to \(server)\(detail)",
                "Check that the server is running, and that the proxy may reach it.", true
            )
        case .notTLSBehindProxy:
            (
                .proxy, "\(sentence(proxy)) answered for \(server) with something that is not TLS\(detail)",
                "Check whether the proxy wants a login, and that this port serves https.", false
            )
        case .connectTimeout:
            (.proxy, "Connecting to \(server) through \(proxy) took too long\(detail)", checkTheProxy(error), true)
        case .proxySettings:
            (
                .proxy, "Cannot use \(proxy) for \(server)\(detail)",
                error.hasGivenProxy ? "Check its URL." : "Check the variables https_proxy and all_proxy.", false
            )
        case .proxyRefused(let status, let hasCredentials):
            (
                .proxy,
                "\(sentence(proxy)) \(status.map { "answered \(DownloadFormat.status($0))" } ?? "refused") "
                    + "when asked for \(server)\(status == nil ? detail : "")",
                proxyAdvice(status, hasCredentials: hasCredentials),
                status.map { ResponseFault.isRetryable(status: $0) } ?? false
            )
        default: (.proxy, "Cannot reach \(server) through \(proxy)\(detail)", checkTheProxy(error), true)
        }
    }
}

extension TransportError {
    fileprivate var isOfProxy: Bool {
        switch kind {
        case .proxy, .proxyRefused, .beyondProxy, .notTLSBehindProxy, .proxySettings: true
        default: false
        }
    }
}
