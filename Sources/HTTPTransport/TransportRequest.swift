package import SpateHTTPSyntax

/// One GET request. An object, since it is large and has a long way: from its attempt to a loop, and to libcurl.
package final class TransportRequest: Sendable {
    package let url: HTTPURL
    package let credentials: Credentials?
    /// Header fields to send. Names and values must not contain line breaks.
    package let fields: [(name: String, value: String)]
    /// The start of the requested range. `nil` requests the whole file.
    package let rangeStart: Int64?
    /// The end of the requested range, exclusive. `nil` requests everything up to the end of the file.
    package let rangeEnd: Int64?
    /// Whether the transfer needs its own connection. Over HTTP/2, several transfers share a connection.
    package let hasOwnConnection: Bool
    /// Whether it must not go over HTTP/2.
    package let needsHTTP1: Bool
    /// Whether many other requests wait, as for many small files.
    package let isOneOfMany: Bool
    /// Whether connections that are idle are not needed any more. Some servers slow down a client that has many open.
    package let closesIdleConnections: Bool
    /// The rate limit. Waiting for it does not count as the server's silence.
    package let rate: RateShare?
    /// Counts the bytes of this host; `nil` if nobody asks for them.
    package let arrivals: ArrivalCount?
    package let settings: TransportSettings
    /// The numeric address of the host to connect to; `nil` to let libcurl choose one. The name stays the name for
    /// everything else, such as TLS.
    package let address: String?
    /// The addresses of the host, in place of those that a lookup would find.
    package let knownAddresses: [String]

    var isSecure: Bool { url.scheme == .https }

    /// Whether the transfer could share a connection with others, if the server speaks HTTP/2.
    var mayShareConnection: Bool { isSecure && speaksAnyVersion }

    /// Whether the server may choose HTTP/2. A limited rate pauses the transfer, which would hold up others.
    var speaksAnyVersion: Bool { !hasOwnConnection && !needsHTTP1 && rate?.isLimited != true }

    package init(
        url: HTTPURL,
        credentials: Credentials? = nil,
        fields: [(name: String, value: String)] = [],
        rangeStart: Int64? = nil,
        rangeEnd: Int64? = nil,
        hasOwnConnection: Bool = false,
        needsHTTP1: Bool = false,
        isOneOfMany: Bool = false,
        closesIdleConnections: Bool = false,
        rate: RateShare? = nil,
        arrivals: ArrivalCount? = nil,
        address: String? = nil,
        knownAddresses: [String] = [],
        settings: TransportSettings = .standard
    ) {
        self.url = url
        self.credentials = credentials
        self.fields = fields
        self.rangeStart = rangeStart
        self.rangeEnd = rangeEnd
        self.hasOwnConnection = hasOwnConnection
        self.needsHTTP1 = needsHTTP1
        self.isOneOfMany = isOneOfMany
        self.closesIdleConnections = closesIdleConnections
        self.rate = rate
        self.arrivals = arrivals
        self.address = address
        self.knownAddresses = knownAddresses
        self.settings = settings
    }

    /// Bytes of the body have come.
    package func noteArrival(_ count: Int) {
        rate?.noteArrival(count)
        arrivals?.note(count)
    }
}
