/// An ETag as a server wrote it, weak or strong: bytes, for it need not be UTF-8.
struct EntityTag: Equatable {
    private let octets: ArraySlice<UInt8>
    let isWeak: Bool

    /// The tag with its quotes and without its `W/`.
    var opaque: ArraySlice<UInt8> { isWeak ? octets.dropFirst(2) : octets }

    /// `nil` where it is no UTF-8: it could not be sent back as it came, and read as Latin-1 it would be another tag.
    var text: String? { String(validating: octets, as: UTF8.self) }

    /// `nil` for what RFC 9110 does not call an entity tag: no quotes, blanks or controls inside.
    ///
    /// An empty tag is none here, for it tells nothing apart.
    init?(_ octets: ArraySlice<UInt8>) {
        isWeak = octets.starts(with: "W/".utf8)
        let quoted = octets.dropFirst(isWeak ? 2 : 0)
        let quote = UInt8(ascii: "\"")
        guard quoted.count > 2, quoted.first == quote, quoted.last == quote,
            quoted.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != quote })
        else { return nil }
        self.octets = octets
    }

    /// The tag of a response; `nil` where there is none, or several that differ.
    init?(head: ResponseHead) {
        guard let octets = head.fields.undisputedOctets(of: "etag") else { return nil }
        self.init(octets)
    }
}
