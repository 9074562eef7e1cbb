/// A weak or strong ETag as the server wrote it. Kept as bytes, because it need not be UTF-8.
package struct EntityTag: Equatable {
    private let octets: ArraySlice<UInt8>
    package let isWeak: Bool

    /// The tag with its quotes and without its `W/`.
    package var opaque: ArraySlice<UInt8> { isWeak ? octets.dropFirst(2) : octets }

    /// `nil` if it is not UTF-8: it could not be sent back unchanged.
    package var text: String? { octets.span.text }

    /// `nil` unless `octets` is an entity tag as RFC 9110 defines it.
    package init?(_ octets: ArraySlice<UInt8>) {
        guard let start = Self.opaqueStart(in: octets.span) else { return nil }
        self.octets = octets
        isWeak = start > 0
    }

    /// The index of the opening quote: 2 in a weak tag, 0 in a strong one.
    ///
    /// `nil` for an invalid tag: one without quotes around it, or with quotes, blanks or control characters inside.
    /// An empty tag counts as invalid, because it identifies nothing.
    package static func opaqueStart(in octets: Span<UInt8>) -> Int? {
        let quote = UInt8(ascii: "\"")
        let isWeak = octets.count > 2 && octets[0] == UInt8(ascii: "W") && octets[1] == UInt8(ascii: "/")
        let start = isWeak ? 2 : 0
        let last = octets.count - 1
        guard last > start + 1, octets[start] == quote, octets[last] == quote else { return nil }
        for index in start + 1..<last {
            let byte = octets[index]
            if byte <= 0x20 || byte == 0x7F || byte == quote { return nil }
        }
        return start
    }

    /// The tag of a response; `nil` if it has none, or several that differ.
    package init?(head: ResponseHead) {
        guard let octets = head.fields.commonOctets(of: "etag") else { return nil }
        self.init(octets)
    }
}
