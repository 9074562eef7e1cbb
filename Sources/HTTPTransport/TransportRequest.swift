package import HTTPResumption

/// One GET request.
package struct TransportRequest: Sendable {
    package var url: HTTPURL
    package var credentials: Credentials?
    /// Fields to send, names and values free of line breaks.
    package var fields: [(name: String, value: String)]
    /// Where the range that is asked for starts; it goes to the end of the file. `nil` asks for the whole.
    package var rangeStart: Int64?
    /// For the look-up, the connection and the TLS handshake together.
    package var connectTimeout: Duration
    /// For the complete head of the response, then for each next byte of its body.
    package var stallTimeout: Duration
    /// The path of a file of certificates to trust instead of the system's.
    package var certificateAuthorities: String?
    /// The interface or local address to send from.
    package var networkInterface: String?

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
