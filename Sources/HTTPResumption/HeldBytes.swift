package import SpateHTTPSyntax

/// The bytes on disk that are trusted to be the start of the entity.
package struct HeldBytes: Hashable, Sendable {
    package enum Proof: Hashable, Sendable {
        case none
        /// A checksum of the whole, once it is complete.
        case checksum
        /// A checksum of each piece.
        case pieces
    }

    /// How many there are before the first gap.
    package private(set) var length: Int64
    /// Where the first gap ends; nil if no bytes behind it are held.
    package private(set) var gapEnd: Int64?
    /// The size of the whole entity, if a response stated it.
    package let total: Int64?
    package let validator: EntityValidator?
    /// The Content-Encoding of the stored bytes, as in `ResponseHead.contentEncoding`.
    package let encoding: String?
    /// The digest of the whole entity, if a response stated it.
    package let digest: StatedDigest?
    /// Whether the entity is a page for a browser.
    package let isPage: Bool
    /// Whether the bytes came from another source than the current one, such as a mirror. Then a validator alone proves
    /// nothing: two servers may use the same tag for different files.
    package private(set) var isFromElsewhere: Bool
    /// Whether the current source may only add to the bytes, not replace them.
    package private(set) var isProtected: Bool
    /// What will prove the entity, whatever its source.
    package let proof: Proof

    package static let none = HeldBytes(length: 0)

    /// Treats a negative length as 0, a negative total as unknown, and drops a gap that does not end within the entity:
    /// the stored record may be forged.
    package init(
        length: Int64,
        gapEnd: Int64? = nil,
        total: Int64? = nil,
        validator: EntityValidator? = nil,
        encoding: String? = nil,
        digest: StatedDigest? = nil,
        isPage: Bool = false,
        isFromElsewhere: Bool = false,
        isProtected: Bool = false,
        proof: Proof = .none
    ) {
        let length = max(0, length)
        let total = total.flatMap { $0 < 0 ? nil : $0 }
        self.length = length
        self.gapEnd = Self.gapEnd(gapEnd, length: length, total: total)
        self.total = total
        self.validator = validator
        self.encoding = encoding
        self.digest = digest
        self.isPage = isPage
        self.isFromElsewhere = isFromElsewhere
        self.isProtected = isProtected && length > 0
        self.proof = proof
    }

    /// The same bytes for another source to continue. The bytes behind a gap cannot be used there.
    ///
    /// - Parameters:
    ///   - hasChecksum: whether a checksum of the whole file makes equal tags unnecessary.
    ///   - isProtected: whether that source may not replace the bytes.
    package func elsewhere(hasChecksum: Bool, isProtected: Bool) -> HeldBytes {
        HeldBytes(
            length: length,
            total: total,
            validator: hasChecksum ? nil : validator,
            encoding: encoding,
            digest: digest,
            isPage: isPage,
            isFromElsewhere: !hasChecksum,
            isProtected: isProtected,
            proof: hasChecksum ? .checksum : .none
        )
    }

    /// The same bytes of a file with checksums of pieces, for any source to continue.
    ///
    /// - Parameters:
    ///   - total: the size of the file.
    ///   - isSameSource: whether the bytes came from the source that continues them.
    package func inPieces(of total: Int64, isSameSource: Bool) -> HeldBytes {
        HeldBytes(
            length: length,
            gapEnd: gapEnd,
            total: total,
            validator: isSameSource ? validator : nil,
            encoding: encoding,
            digest: isSameSource ? digest : nil,
            isPage: isPage,
            proof: .pieces
        )
    }

    /// These ranges of the entity are filled now, the last of them by the current source.
    package mutating func fill(_ filled: FilledRanges) {
        (length, gapEnd) = (filled.front, Self.gapEnd(filled.gapEnd, length: filled.front, total: total))
        isFromElsewhere = false
        isProtected = isProtected && length > 0
    }

    private static func gapEnd(_ gapEnd: Int64?, length: Int64, total: Int64?) -> Int64? {
        gapEnd.flatMap { $0 > length && $0 < total ?? .max ? $0 : nil }
    }

    /// Whether checksums of pieces prove them: no response needs to, and none may replace them.
    package var arePieces: Bool { proof == .pieces && areAny }

    /// Whether there are any.
    package var areAny: Bool { length > 0 || gapEnd != nil }

    /// The same bytes, which the current source may not replace.
    package var protected: HeldBytes {
        var held = self
        held.isProtected = length > 0
        return held
    }

    /// Whether another source with the same file could continue the bytes.
    package var canBeContinuedElsewhere: Bool { RangeRequest.first(for: self) != .whole }
}
