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
    package var settings: TransportSettings
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
        settings: TransportSettings = .standard
    ) {
        self.url = url
        self.credentials = credentials
        self.fields = fields
        self.rangeStart = rangeStart
        self.settings = settings
    }
}
