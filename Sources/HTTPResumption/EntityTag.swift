/// An ETag as a server wrote it, weak or strong.
struct EntityTag: Equatable {
    let text: String
    let isWeak: Bool

    /// The tag with its quotes and without its `W/`.
    var opaque: String { isWeak ? String(text.dropFirst(2)) : text }

    /// `nil` for what RFC 9110 does not call an entity tag: no quotes, blanks or controls inside.
    ///
    /// An empty tag is none here, for it tells nothing apart.
    init?(_ text: String) {
        isWeak = text.utf8.starts(with: "W/".utf8)
        let quoted = text.utf8.dropFirst(isWeak ? 2 : 0)
        let quote = UInt8(ascii: "\"")
        guard quoted.count > 2, quoted.first == quote, quoted.last == quote,
            quoted.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != quote })
        else { return nil }
        self.text = text
    }

    /// The tag of a response; `nil` where there is none, or several that differ, or one that is no UTF-8.
    init?(head: ResponseHead) {
        guard let text = head.fields.undisputedValue(of: "etag") else { return nil }
        self.init(text)
    }
}
