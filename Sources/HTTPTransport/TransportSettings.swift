import SpateHTTPSyntax

/// How requests are sent, wherever they go. All requests of a manager share the same.
package final class TransportSettings: Sendable {
    /// For name lookup, connection and TLS handshake together, and about as long for those of another transfer whose
    /// connection this one could share.
    package let connectTimeout: Duration
    /// For the complete head of the response, then for each byte of the body after the previous one.
    package let stallTimeout: Duration
    /// The path of a PEM file with certificates to trust instead of the system's.
    package let certificateAuthorities: String?
    /// What to show to a server that asks for a certificate.
    package let clientCertificate: CertificateFiles?
    package let proxy: TransportProxy
    /// The interface or local address to send from.
    package let networkInterface: String?
    /// `nil` to connect anywhere.
    package let addresses: AddressRule?

    /// Whether there is no proxy, not even in the environment as it was then. libcurl would look for each request.
    let isDirect: Bool
    /// The connect timeout for libcurl.
    let connectMilliseconds: Int
    /// When to give up a transfer without a connection. libcurl keeps the timeout for a connection of the transfer's own,
    /// but not while it waits to share another's.
    let connectLimit: Duration

    package init(
        connectTimeout: Duration = .seconds(15),
        stallTimeout: Duration = .seconds(30),
        certificateAuthorities: String? = nil,
        clientCertificate: CertificateFiles? = nil,
        proxy: TransportProxy = .environment,
        networkInterface: String? = nil,
        addresses: AddressRule? = nil
    ) {
        // At most a century, so that no sum or product overflows.
        let longest = Duration.seconds(3_155_760_000)
        let connectTimeout = max(.zero, min(connectTimeout, longest))
        self.connectTimeout = connectTimeout
        self.stallTimeout = max(.zero, min(stallTimeout, longest))
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
        self.proxy = proxy
        self.networkInterface = networkInterface
        self.addresses = addresses
        isDirect =
            switch proxy {
            case .none: true
            case .environment: !UsedProxy.mayBeInEnvironment()
            case .given: false
            }
        connectMilliseconds = max(1, connectTimeout.wholeMilliseconds)
        connectLimit = connectTimeout * 5 / 4
    }

    /// Whether requests may connect to an address.
    package func allows(_ address: String) -> Bool {
        guard let addresses else { return true }
        return IPAddress(address).map { addresses.allows($0.unmapped) } ?? false
    }

    package static let standard = TransportSettings()

    package func showing(_ certificate: CertificateFiles) -> TransportSettings {
        TransportSettings(
            connectTimeout: connectTimeout,
            stallTimeout: stallTimeout,
            certificateAuthorities: certificateAuthorities,
            clientCertificate: certificate,
            proxy: proxy,
            networkInterface: networkInterface,
            addresses: addresses
        )
    }
}

/// The paths of PEM files: a client's certificate, and its key unless it is in the same file.
package struct CertificateFiles: Sendable, Hashable {
    package let certificate: String
    package let key: String?

    package init(certificate: String, key: String?) {
        (self.certificate, self.key) = (certificate, key)
    }
}
