/// Where a response's body belongs, and what must be true of it.
package struct AcceptedBody: Hashable, Sendable {
    /// Where in the file the body's first byte belongs.
    package var offset: Int64
    /// How many of the body's first bytes must equal those on disk, before any other is written.
    package var comparing: Int64
    /// Whether all that is on disk is dropped first.
    package var startsOver: Bool
    /// The size of the whole; `nil`: not known.
    package var total: Int64?
    /// How many bytes the message announces, which must arrive; what follows them is not part of the file. `nil`: it
    /// does not say, and where the total is known, by the caller alone, the body must end exactly there.
    package var bodyLength: Int64?
    /// What a later resume will be validated by.
    package var validator: EntityValidator?
    /// The Content-Encoding of the octets, which are stored as they come.
    package var encoding: String?
    /// Whether a body that was cut can be told from one that ended.
    package var isLengthVerifiable: Bool
    /// Whether the server showed that it serves no ranges: a pause will cost the bytes.
    package var refusesRanges: Bool

    package init(
        offset: Int64,
        comparing: Int64 = 0,
        startsOver: Bool,
        total: Int64?,
        bodyLength: Int64?,
        validator: EntityValidator?,
        encoding: String? = nil,
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
        self.isLengthVerifiable = isLengthVerifiable
        self.refusesRanges = refusesRanges
    }

    /// Where the file ends when the whole body has arrived; `nil`: not known.
    package var end: Int64? { bodyLength.map { offset + $0 } }
}
