/// The status and fields of a final response.
package struct ResponseHead: Sendable {
    package var status: Int
    package var fields: HTTPFields

    /// Whether the protocol marks the end of the body, as HTTP/2 and HTTP/3 do.
    package var isMessageFramed: Bool

    package init(status: Int, fields: HTTPFields = HTTPFields(), isMessageFramed: Bool = false) {
        self.status = status
        self.fields = fields
        self.isMessageFramed = isMessageFramed
    }

    package var contentLength: ContentLength { ContentLength(fields) }

    /// Whether the body is chunked, so that its end is marked.
    package var isChunked: Bool { transferCoding == .chunked }

    /// The transfer codings if they are not just chunked: none was requested, and none can be decoded.
    package var unaskedTransferCoding: String? {
        transferCoding == .unasked ? codings(in: "transfer-encoding").joined(separator: ", ") : nil
    }

    /// Whether to ignore Content-Length because of a Transfer-Encoding (RFC 9112, section 6.3).
    package var overridesContentLength: Bool { transferCoding != .none }

    /// Whether a truncated body can be detected without a Content-Length.
    package var showsItsEnd: Bool { isMessageFramed || isChunked }

    /// The Content-Encoding in lower case; `nil` for none. The body is stored encoded.
    package var contentEncoding: String? {
        let codings = codings(in: "content-encoding")
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    private enum TransferCoding {
        case none, chunked, unasked
    }

    /// HTTP/2 and HTTP/3 have no transfer codings.
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

    /// `identity`, from older versions of HTTP/1.1, means no coding.
    private static func isNoCoding(_ member: ArraySlice<UInt8>) -> Bool { member.span.spells("identity") }
}

extension ResponseHead {
    /// When the file was last changed on the server; `nil` if the response does not say, or says two dates.
    package var lastModified: HTTPDate? { fields.commonOctets(of: "last-modified").flatMap { HTTPDate($0) } }

    /// When the response was made; `nil` if it does not say, or says two dates.
    package var date: HTTPDate? { fields.commonOctets(of: "date").flatMap { HTTPDate($0) } }

    /// Whether it is a page for a browser; `nil` without a Content-Type.
    package var isPage: Bool? {
        var isPage: Bool?
        fields.forEachValue(of: "content-type") { value in
            let type = HTTPFields.trimmed(value.prefix { $0 != UInt8(ascii: ";") })
            isPage = isPage ?? (type.span.spells("text/html") || type.span.spells("application/xhtml+xml"))
        }
        return isPage
    }

    /// Whether the server serves parts of this file.
    package var servesParts: Bool { status == 206 || fields.has("bytes", in: "accept-ranges") }
}
