import HTTPResumption

/// What an attempt has of its file, as the next request and the judgement of its response need it.
struct FetchedBytes {
    /// How many bytes it had before this attempt brought any.
    private var foundCount: Int64
    /// Whether a mirror adds to what the origin has sent, and must not replace it.
    private let isProtected: Bool
    private(set) var held: HeldBytes
    /// Whether the file consists of bytes of several responses.
    var isJoined: Bool

    /// - Parameter filled: what the file has, of which `held` can be continued.
    init(_ held: HeldBytes, _ filled: FilledRanges, isProtected: Bool) {
        (self.held, self.isProtected) = (held, isProtected)
        (foundCount, isJoined) = (filled.count, !filled.isEmpty)
    }

    /// Whether this attempt has brought bytes. Then none are dropped within it, since progress must not fall.
    func hasAdvanced(_ filled: FilledRanges) -> Bool { filled.count > foundCount }

    /// To what the file is cut before a body has its place; `nil` if all stays.
    func cut(for body: AcceptedBody, _ filled: FilledRanges) -> Int64? {
        if body.startsOver { return filled.isEmpty ? nil : 0 }
        return !body.keepsGaps && filled.hasGaps ? held.length : nil
    }

    /// Whether a body can have its place only if bytes are dropped that this attempt has brought.
    func mustShrink(for body: AcceptedBody, _ filled: FilledRanges) -> Bool {
        hasAdvanced(filled) && (body.startsOver || !body.keepsGaps && filled.hasGaps)
    }

    /// The file has been prepared for a body.
    mutating func accepted(_ body: AcceptedBody, _ filled: FilledRanges) {
        foundCount = min(foundCount, filled.count)
        isJoined = !body.startsOver
        held = HeldBytes(
            length: filled.front,
            gapEnd: filled.gapEnd,
            total: body.total,
            validator: body.validator,
            encoding: body.encoding,
            digest: body.digest,
            isPage: body.isPage,
            isProtected: isProtected
        )
    }

    /// Counts what was written as held. Returns whether that is more than before.
    mutating func hold(_ filled: FilledRanges) -> Bool {
        let before = held.length
        held = HeldBytes(
            length: filled.front,
            gapEnd: filled.gapEnd,
            total: held.total,
            validator: held.validator,
            encoding: held.encoding,
            digest: held.digest,
            isPage: held.isPage,
            isProtected: isProtected
        )
        return held.length > before
    }

    /// Nothing of what is on disk is of use.
    ///
    /// - Parameter isGone: whether the file was cut. If not, the response that starts over tries again, and its failure is
    ///   reported.
    mutating func dropped(isGone: Bool) {
        held = isGone ? .none : HeldBytes(length: held.length)
        if isGone { foundCount = 0 }
    }
}
