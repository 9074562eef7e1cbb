import SpateHTTPSyntax
import SpateHTTPTransport

/// What a server sends for one request, and how.
struct SimulatedAnswer {
    enum Framing {
        case length, chunked, close
        /// Of HTTP/2. Nothing proves its end.
        case stream
    }

    /// How a body ends.
    enum Ending {
        case whole
        /// The connection is closed in good order.
        case closed
        case reset
        case malformedChunk
    }

    struct Pause {
        let position: Int
        /// `nil` for ever.
        let length: Duration?
    }

    var status: Int
    var fields = HTTPFields()
    var content: SimulatedContent
    /// Which bytes of the content come, unless it ends early.
    var range: Range<Int>
    var framing = Framing.length
    /// After how many bytes of the body it ends so.
    var ending: (kind: Ending, position: Int)?
    var pause: Pause?
    /// How long the head takes; `nil` for ever.
    var delay: Duration? = .zero
    /// Bytes per second, if they are fewer than the host has.
    var rate: Int?
    var retryAfter: Duration?
    /// The validator of the request, which it has in place of its own.
    var echo: String?
    /// What comes in place of a head.
    var noHead: TransportError.Kind?

    init(_ status: Int, _ content: SimulatedContent, _ range: Range<Int>? = nil) {
        (self.status, self.content) = (status, content)
        self.range = range ?? 0..<content.count
    }

    mutating func add(_ name: String, _ value: String) {
        fields.append(name: name, value: value)
    }

    /// The number of bytes that come, and what comes then.
    var end: (kind: Ending, position: Int) {
        guard let ending, ending.position < range.count || ending.kind != .whole else { return (.whole, range.count) }
        return (ending.kind, min(ending.position, range.count))
    }
}

/// What a server sees of a request.
struct SimulatedQuery {
    let url: HTTPURL
    let start: Int?
    let end: Int?
    let ifRange: String?
    let ifNoneMatch: String?
    let ifModifiedSince: String?
    /// Whether it may come over HTTP/2.
    let mayBeHTTP2: Bool

    init(_ request: TransportRequest) {
        url = request.url
        start = request.rangeStart.map { Int(clamping: $0) }
        end = request.rangeEnd.map { Int(clamping: $0) }
        ifRange = request.field("if-range")
        ifNoneMatch = request.field("if-none-match")
        ifModifiedSince = request.field("if-modified-since")
        mayBeHTTP2 = request.url.scheme == .https && !request.hasOwnConnection
    }

    /// The query's value of that name.
    func parameter(_ name: String) -> String? {
        guard let query = url.text.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }
}

extension TransportRequest {
    /// The first field of that name, in lower case.
    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    /// As curl writes it.
    var rangeText: String? {
        rangeStart.map { "\($0)-\(rangeEnd.map { "\($0 - 1)" } ?? "")" }
    }
}
