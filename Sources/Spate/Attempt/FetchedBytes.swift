import HTTPResumption
import PartialFiles

/// What a fetch has of its file, as the next request and the judgement of its response need it.
struct FetchedBytes {
    private let file: PartialFile
    private let mirror: HTTPURL?
    private let keepsServerTime: Bool
    /// How many bytes it had before this attempt brought any.
    private var foundCount: Int64
    /// Whether a mirror adds to what the origin has sent, and must not replace it.
    private let isProtected: Bool
    private(set) var held: HeldBytes
    /// Whether the file consists of bytes of several responses.
    var isJoined: Bool

    init(_ attempt: Attempt, _ file: PartialFile) {
        self.file = file
        mirror = attempt.mirror
        keepsServerTime = attempt.keepsServerTime
        foundCount = file.filled.count
        isProtected = attempt.mirror != nil && !attempt.beginsAnew
        held = file.found(
            for: attempt.mirror,
            hasChecksum: attempt.download.enqueuedRequest.checksum != nil,
            isProtected: isProtected
        )
        isJoined = !file.filled.isEmpty
    }

    /// Whether this attempt has brought bytes. Then none are dropped within it, since progress must not fall.
    var hasAdvanced: Bool { file.filled.count > foundCount }

    /// Whether a body can have its place only if bytes are dropped that this attempt has brought.
    func mustShrink(for body: AcceptedBody) -> Bool {
        hasAdvanced && (body.startsOver || !body.keepsGaps && file.filled.hasGaps)
    }

    /// Prepares the file for an accepted body.
    mutating func accept(_ body: AcceptedBody, _ head: ResponseHead) throws(FileSystemError) {
        if body.startsOver, !file.filled.isEmpty {
            try cut(to: 0)
        } else if !body.keepsGaps, file.filled.hasGaps {
            try cut(to: held.length)
        }
        isJoined = !body.startsOver
        if let total = body.total { try file.reserve(through: total) }
        // Where the tag is strong there is no weak one.
        let weakTag: String? = if case .etag = body.validator { nil } else { EntityValidator.weakTag(of: head) }
        // A part need not repeat what the first response said.
        let notes = body.startsOver ? (weakTag: nil, lastModified: nil) : file.notes
        try file.begin(
            total: body.total,
            validator: body.validator,
            encoding: body.encoding,
            from: mirror,
            weakTag: weakTag ?? notes.weakTag,
            lastModified: keepsServerTime ? head.lastModified ?? notes.lastModified : nil,
            digest: body.digest,
            isPage: body.isPage
        )
        held = heldNow(
            total: body.total,
            validator: body.validator,
            encoding: body.encoding,
            digest: body.digest,
            isPage: body.isPage
        )
    }

    /// Counts what was written as held. Returns whether that is more than before.
    mutating func holdWhatWasWritten() -> Bool {
        let before = held.length
        held = heldNow(
            total: held.total,
            validator: held.validator,
            encoding: held.encoding,
            digest: held.digest,
            isPage: held.isPage
        )
        return held.length > before
    }

    private func heldNow(
        total: Int64?,
        validator: EntityValidator?,
        encoding: String?,
        digest: StatedDigest?,
        isPage: Bool
    ) -> HeldBytes {
        let filled = file.filled
        return HeldBytes(
            length: filled.front,
            gapEnd: filled.gapEnd,
            total: total,
            validator: validator,
            encoding: encoding,
            digest: digest,
            isPage: isPage,
            isProtected: isProtected
        )
    }

    /// Nothing of what is on disk is of use.
    mutating func drop() {
        do {
            try cut(to: 0)
            held = .none
        } catch {
            // Not cut, but of no use either: the response that starts over tries again, and its failure is reported.
            held = HeldBytes(length: held.length)
        }
    }

    private mutating func cut(to count: Int64) throws(FileSystemError) {
        try file.truncate(to: count)
        foundCount = min(foundCount, count)
    }
}
