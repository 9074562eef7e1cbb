/// A final response before its body: the status and the fields.
package struct ResponseHead: Equatable, Sendable {
    package var status: Int
    package var fields: HTTPFields

    /// Whether the protocol itself tells where the body ends, as HTTP/2 and HTTP/3 do.
    package var isMessageFramed: Bool

    package init(status: Int, fields: HTTPFields = HTTPFields(), isMessageFramed: Bool = false) {
        self.status = status
        self.fields = fields
        self.isMessageFramed = isMessageFramed
    }

    package var contentLength: ContentLength { ContentLength(fields) }

    /// Whether the body comes in chunks, so that its end shows.
    package var isChunked: Bool { transferCodings == ["chunked"] }

    /// Codings that nobody asked for and that are not taken off here, chunks aside.
    package var unaskedTransferCoding: String? {
        transferCodings.isEmpty || isChunked ? nil : transferCodings.joined(separator: ", ")
    }

    /// Whether Content-Length counts for nothing, because a Transfer-Encoding stands beside it (RFC 9112, 6.3).
    package var overridesContentLength: Bool { !transferCodings.isEmpty }

    /// Whether a cut can be told from an end when there is no Content-Length.
    package var showsItsEnd: Bool { isMessageFramed || isChunked }

    /// The Content-Encoding in lower case, or `nil` for none: the stored octets are the encoded ones.
    package var contentEncoding: String? {
        let codings = fields.members(of: "content-encoding").map { $0.lowercased() }.filter { $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// HTTP/2 and HTTP/3 have no such field. `identity`, which HTTP/1.1 once knew, means that there is no coding.
    private var transferCodings: [String] {
        guard !isMessageFramed else { return [] }
        return fields.members(of: "transfer-encoding").map { $0.lowercased() }.filter { $0 != "identity" }
    }
}
