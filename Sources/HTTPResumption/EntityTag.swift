/// An ETag as a server wrote it, weak or strong: bytes, for it need not be UTF-8.
struct EntityTag: Equatable {
    private let octets: ArraySlice<UInt8>
    let isWeak: Bool

    /// The tag with its quotes and without its `W/`.
    var opaque: ArraySlice<UInt8> { isWeak ? octets.dropFirst(2) : octets }

    /// `nil` where it is no UTF-8: it could not be sent back as it came, and read as Latin-1 it would be another tag.
    var text: String? { octets.span.text }

    /// `nil` for what RFC 9110 does not call an entity tag.
    init?(_ octets: ArraySlice<UInt8>) {
        guard let start = Self.opaqueStart(in: octets.span) else { return nil }
        self.octets = octets
        isWeak = start > 0
    }

    /// Where the quotes open: after a `W/` in a weak tag, at once in a strong one. `nil` in what is no tag: it has
    /// quotes around it, and inside neither these nor blanks nor controls.
    ///
    /// An empty tag is none here, for it tells nothing apart.
    static func opaqueStart(in octets: Span<UInt8>) -> Int? {
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

    /// The tag of a response; `nil` where there is none, or several that differ.
    init?(head: ResponseHead) {
        guard let octets = head.fields.undisputedOctets(of: "etag") else { return nil }
        self.init(octets)
    }
}
