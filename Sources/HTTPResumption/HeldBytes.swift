/// The bytes on disk that are trusted to be the start of the entity.
package struct HeldBytes: Hashable, Sendable {
    package let length: Int64
    /// The size of the whole entity, if a response stated it.
    package let total: Int64?
    package let validator: EntityValidator?
    /// The Content-Encoding of the stored bytes, as in `ResponseHead.contentEncoding`.
    package let encoding: String?

    package static let none = HeldBytes(length: 0)

    /// A negative length counts as 0, a negative total as unknown: the stored record may be forged.
    package init(
        length: Int64,
        total: Int64? = nil,
        validator: EntityValidator? = nil,
        encoding: String? = nil
    ) {
        self.length = max(0, length)
        self.total = total.flatMap { $0 < 0 ? nil : $0 }
        self.validator = validator
        self.encoding = encoding
    }
}
