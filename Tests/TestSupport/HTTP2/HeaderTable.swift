/// The header fields to which HPACK refers by number (RFC 7541, 2.3): those that everybody knows, and then those that came
/// on this connection, the latest first.
struct HeaderTable {
    private var own: [(name: String, value: String)] = []
    private var size = 0
    private(set) var limit = 4_096

    subscript(index: Int) -> (name: String, value: String)? {
        let place = index - 1 - Self.known.count
        if place >= 0 { return place < own.count ? own[place] : nil }
        return index > 0 ? Self.known[index - 1] : nil
    }

    mutating func insert(name: String, value: String) {
        own.insert((name, value), at: 0)
        size += Self.size(of: own[0])
        evict()
    }

    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        evict()
    }

    private mutating func evict() {
        while size > limit, let last = own.popLast() { size -= Self.size(of: last) }
    }

    private static func size(of field: (name: String, value: String)) -> Int {
        field.name.utf8.count + field.value.utf8.count + 32
    }

    /// RFC 7541, appendix A.
    private static let known: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}
