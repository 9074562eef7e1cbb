package import SpateHTTPSyntax

/// A body to write: where it goes in the file, and the conditions that it must meet.
package struct AcceptedBody: Hashable, Sendable {
    /// The position in the file of the body's first byte.
    package let offset: Int64
    /// How many bytes at the start of the body must equal those on disk before the rest is written.
    package let comparing: Int64
    /// Whether to drop the bytes on disk first.
    package let startsOver: Bool
    /// The size of the whole file; `nil` if unknown.
    package let total: Int64?
    /// How many bytes the message announces. All of them must arrive; bytes after them are not part of the file.
    ///
    /// `nil` if the message does not say. If the caller knows the total, the body must then end exactly there.
    package let bodyLength: Int64?
    /// The validator for a later resume.
    package let validator: EntityValidator?
    /// The Content-Encoding of the body, which is stored as received.
    package let encoding: String?
    /// The digest that the whole file must have, as its server has stated.
    package let digest: StatedDigest?
    /// Whether the file is a page for a browser.
    package let isPage: Bool
    /// Whether the bytes behind a gap belong to the same entity. A comparison of those before it does not prove that.
    package let keepsGaps: Bool
    /// Whether nothing but checksums will prove that the body belongs to the bytes on disk.
    package let isJoined: Bool
    /// Whether a truncated body can be detected.
    package let isLengthVerifiable: Bool
    /// Whether the server showed that it does not support ranges, so that a pause loses the bytes.
    package let refusesRanges: Bool

    package init(
        offset: Int64,
        comparing: Int64 = 0,
        startsOver: Bool,
        total: Int64?,
        bodyLength: Int64?,
        validator: EntityValidator?,
        encoding: String? = nil,
        digest: StatedDigest? = nil,
        isPage: Bool = false,
        keepsGaps: Bool = true,
        isJoined: Bool = false,
        isLengthVerifiable: Bool,
        refusesRanges: Bool = false
    ) {
        self.offset = offset
        self.comparing = comparing
        self.startsOver = startsOver
        self.total = total
        self.bodyLength = bodyLength
        self.validator = validator
        self.encoding = encoding
        self.digest = digest
        self.isPage = isPage
        self.keepsGaps = keepsGaps
        self.isJoined = isJoined
        self.isLengthVerifiable = isLengthVerifiable
        self.refusesRanges = refusesRanges
    }

    /// Where the file ends once the whole body has arrived; `nil` if unknown.
    package var end: Int64? { bodyLength.map { offset + $0 } }
}
