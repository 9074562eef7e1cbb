package import HTTPSyntax

/// One GET request.
package struct TransportRequest: Sendable {
    package var url: HTTPURL
    package var credentials: Credentials?
    /// Header fields to send. Names and values must not contain line breaks.
    package var fields: [(name: String, value: String)]
    /// The start of the requested range. `nil` requests the whole file.
    package var rangeStart: Int64?
    /// The end of the requested range, exclusive. `nil` requests everything up to the end of the file.
    package var rangeEnd: Int64?
    /// Whether the transfer needs its own connection. Over HTTP/2, several transfers share a connection.
    package var hasOwnConnection = false
    /// Whether many other requests wait, as for many small files.
    package var isOneOfMany = false
    /// The rate limit. Waiting for it does not count as the server's silence.
    package var rate: RateShare?
    /// For name lookup, connection and TLS handshake together, and about as long for those of another transfer whose
    /// connection this one could share.
    package var connectTimeout: Duration
    /// For the complete head of the response, then for each byte of the body after the previous one.
    package var stallTimeout: Duration
    /// The path of a PEM file with certificates to trust instead of the system's.
    package var certificateAuthorities: String?
    /// What to show to a server that asks for a certificate.
    package var clientCertificate: CertificateFiles?
    package var proxy = TransportProxy.environment
    /// The interface or local address to send from.
    package var networkInterface: String?
    /// The numeric address of the host to connect to; `nil` to let libcurl choose one. The name stays the name for
    /// everything else, such as TLS.
    package var address: String?
    /// The addresses of the host, in place of those that a lookup would find.
    package var knownAddresses: [String] = []

    /// Whether the transfer could share a connection with others, if the server speaks HTTP/2.
    var mayShareConnection: Bool { url.scheme == .https && speaksAnyVersion }

    /// Whether the server may choose HTTP/2. A limited rate pauses the transfer, which would hold up others.
    var speaksAnyVersion: Bool { !hasOwnConnection && rate?.isLimited != true }

    package init(
        url: HTTPURL,
        credentials: Credentials? = nil,
        fields: [(name: String, value: String)] = [],
        rangeStart: Int64? = nil,
        connectTimeout: Duration = .seconds(15),
        stallTimeout: Duration = .seconds(30),
        certificateAuthorities: String? = nil,
        networkInterface: String? = nil
    ) {
        self.url = url
        self.credentials = credentials
        self.fields = fields
        self.rangeStart = rangeStart
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.certificateAuthorities = certificateAuthorities
        self.networkInterface = networkInterface
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
