/// Why a transfer failed before or below an HTTP response.
package struct TransportError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case hostNotFound
        /// The settings allow none of the host's addresses; or they allow no proxy, and ``proxy`` would connect.
        case addressNotAllowed
        /// Refused, unreachable, or broken while connecting.
        case connectionFailed
        /// The proxy's name does not resolve, or the proxy refuses the connection or closes it too early.
        case proxy
        /// The proxy answered a request for a tunnel with this status; `nil` for a SOCKS proxy, which has none.
        case proxyRefused(status: Int?, hasCredentials: Bool)
        /// A SOCKS proxy says that it cannot connect to the server.
        case beyondProxy
        /// The proxy has opened a tunnel, but what came through it is not TLS.
        case notTLSBehindProxy
        /// The proxy's URL is invalid, or the TLS handshake with it failed.
        case proxySettings
        /// The handshake failed.
        case tlsHandshake
        /// The peer's certificate is not trusted.
        case tlsUntrusted
        /// A local setting, such as the file of certificates, is invalid.
        case tlsConfiguration
        /// The client's certificate or key cannot be used, or they do not belong together.
        case clientCertificateUnusable
        /// The server wants a certificate of the client.
        case clientCertificateMissing
        /// The server does not accept the client's certificate.
        case clientCertificateRefused
        case connectTimeout
        /// No complete head within the time limit.
        case headTimeout
        /// No byte of the body within the time limit.
        case stalled
        /// Closed before a response began.
        case emptyReply
        /// Closed or reset within the message.
        case broken
        case malformedChunks
        /// Not HTTP, or an invalid head.
        case malformedResponse
        case headTooLarge
        case interface
        /// Anything else that libcurl reports.
        case other(Int)
    }

    package var kind: Kind
    /// The technical reason, usually in libcurl's words.
    package var detail: String
    /// Why the system could not connect: "Connection refused". `nil` if it did not say, and for other failures.
    package var systemReason: String?
    /// The host and port of the proxy, if the proxy failed and its name is known.
    package var proxy: String?
    /// Whether the program gave that proxy, and not the environment.
    package var hasGivenProxy = false
    /// The address that the transfer was connected to, if it was.
    package var address: String?

    package init(_ kind: Kind, detail: String, systemReason: String? = nil, proxy: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.systemReason = systemReason
        self.proxy = proxy
    }
}
