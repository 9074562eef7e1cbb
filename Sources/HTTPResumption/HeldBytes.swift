/// The bytes on disk that are trusted to be the start of the entity.
package struct HeldBytes: Hashable, Sendable {
    /// How many there are before the first gap.
    package let length: Int64
    /// Where the first gap ends; nil if no bytes behind it are held.
    package let gapEnd: Int64?
    /// The size of the whole entity, if a response stated it.
    package let total: Int64?
    package let validator: EntityValidator?
    /// The Content-Encoding of the stored bytes, as in `ResponseHead.contentEncoding`.
    package let encoding: String?
    /// Whether they came from another place than the one that is asked now, such as a mirror. Then a validator alone does
    /// not prove that the two have the same file: two servers may use the same tag for different files.
    package let isFromElsewhere: Bool

    package static let none = HeldBytes(length: 0)

    /// A negative length counts as 0, a negative total as unknown, a gap that does not end within the entity as none: the
    /// stored record may be forged.
    package init(
        length: Int64,
        gapEnd: Int64? = nil,
        total: Int64? = nil,
        validator: EntityValidator? = nil,
        encoding: String? = nil,
        isFromElsewhere: Bool = false
    ) {
        let length = max(0, length)
        let total = total.flatMap { $0 < 0 ? nil : $0 }
        self.length = length
        self.gapEnd = gapEnd.flatMap { $0 > length && $0 < total ?? .max ? $0 : nil }
        self.total = total
        self.validator = validator
        self.encoding = encoding
        self.isFromElsewhere = isFromElsewhere
    }

    /// The same bytes as another place may continue them. What lies behind a gap is of no use there.
    ///
    /// - Parameter hasChecksum: whether a checksum proves the whole file in the end, so that tags need not agree.
    package func elsewhere(hasChecksum: Bool) -> HeldBytes {
        HeldBytes(
            length: length,
            total: total,
            validator: hasChecksum ? nil : validator,
            encoding: encoding,
            isFromElsewhere: !hasChecksum
        )
    }
}
