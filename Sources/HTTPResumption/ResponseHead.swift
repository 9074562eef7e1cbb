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
    package var isChunked: Bool { transferCoding == .chunked }

    /// Codings that nobody asked for and that are not taken off here, chunks aside.
    package var unaskedTransferCoding: String? {
        transferCoding == .unasked ? codings(in: "transfer-encoding").joined(separator: ", ") : nil
    }

    /// Whether Content-Length counts for nothing, because a Transfer-Encoding stands beside it (RFC 9112, 6.3).
    package var overridesContentLength: Bool { transferCoding != .none }

    /// Whether a cut can be told from an end when there is no Content-Length.
    package var showsItsEnd: Bool { isMessageFramed || isChunked }

    /// The Content-Encoding in lower case, or `nil` for none: the stored octets are the encoded ones.
    package var contentEncoding: String? {
        let codings = codings(in: "content-encoding")
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    private enum TransferCoding {
        case none, chunked, unasked
    }

    /// HTTP/2 and HTTP/3 have no such field.
    private var transferCoding: TransferCoding {
        var coding = TransferCoding.none
        if isMessageFramed { return coding }
        fields.forEachMember(of: "transfer-encoding") { member in
            if Self.isNoCoding(member) { return }
            coding = coding == .none && member.span.spells("chunked") ? .chunked : .unasked
        }
        return coding
    }

    private func codings(in name: String) -> [String] {
        var codings: [String] = []
        fields.forEachMember(of: name) { member in
            if !Self.isNoCoding(member) { codings.append(HTTPFields.text(member).lowercased()) }
        }
        return codings
    }

    /// `identity`, which HTTP/1.1 once knew, means that there is no coding.
    private static func isNoCoding(_ member: ArraySlice<UInt8>) -> Bool { member.span.spells("identity") }
}
