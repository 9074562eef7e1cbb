import SpateHTTPResumption

/// An attempt's bytes of its file. The next request and the judgement of its response depend on them.
struct FetchedBytes {
    /// The number of bytes from before this attempt.
    private(set) var foundCount: Int64
    /// Whether a mirror may add to these bytes but not replace them.
    private let isProtected: Bool
    private let proof: HeldBytes.Proof
    private(set) var held: HeldBytes
    /// Whether the file has bytes of several responses.
    var isJoined: Bool

    /// - Parameter filled: the filled ranges. `held` is the part that a response can continue.
    init(_ held: HeldBytes, _ filled: FilledRanges, isProtected: Bool) {
        (self.held, self.isProtected, proof) = (held, isProtected, held.proof)
        (foundCount, isJoined) = (filled.count, !filled.isEmpty)
    }

    /// Whether this attempt has added bytes. Then it drops none, since progress must not fall.
    func hasAdvanced(_ filled: FilledRanges) -> Bool { filled.count > foundCount }

    /// The length to truncate the file to before this body; `nil` to keep everything.
    func cut(for body: AcceptedBody, _ filled: FilledRanges) -> Int64? {
        if body.startsOver { return filled.isEmpty ? nil : 0 }
        return !body.keepsGaps && filled.hasGaps ? held.length : nil
    }

    /// Whether this body fits only if bytes of this attempt are dropped.
    func mustShrink(for body: AcceptedBody, _ filled: FilledRanges) -> Bool {
        hasAdvanced(filled) && (body.startsOver || !body.keepsGaps && filled.hasGaps)
    }

    /// The file is ready for a body.
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
            isProtected: isProtected,
            proof: proof
        )
    }

    /// Updates `held` to the written bytes. Returns whether it grew.
    mutating func hold(_ filled: FilledRanges) -> Bool {
        let before = held.length
        held.fill(filled)
        return held.length > before
    }

    /// The bytes on disk are useless.
    ///
    /// - Parameter isGone: whether truncating succeeded. If not, the next response for the whole tries again.
    mutating func dropped(isGone: Bool) {
        held = isGone ? HeldBytes(length: 0, proof: proof) : HeldBytes(length: held.length)
        if isGone { foundCount = 0 }
    }
}
