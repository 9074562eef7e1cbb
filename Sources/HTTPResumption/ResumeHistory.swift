/// What a download has tried already, so that it tries nothing twice in vain.
///
/// The caller keeps it across attempts and records each step that a decision names, before it takes it.
package struct ResumeHistory: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// The bytes were dropped for this cause.
        case restart(RestartCause)
        /// Asked without If-Range, after a 200 to If-Range that named the same entity.
        case plainRange
        /// 24: asked with an overlap, after a 206 that named no entity. Later attempts begin so.
        case overlap
        /// 37: asked for the last byte held.
        case lastByte
        /// 4: tried again after chunks that were none.
        case malformedChunks
        /// 57: asked from the original URL instead of the one that redirects had led to.
        case originalURL
    }

    private var steps: Set<Step> = []

    package init() {}

    package mutating func record(_ step: Step) {
        steps.insert(step)
    }

    /// The download came further than ever before: what was tried once on the way there may be tried once more.
    ///
    /// Restarts stay, for a download that starts over again and again gets nowhere. So does the need for an overlap,
    /// which is a trait of the server.
    package mutating func noteProgress() {
        // Most downloads never try anything.
        if steps.isEmpty { return }
        steps.remove(.plainRange)
        steps.remove(.lastByte)
        steps.remove(.originalURL)
    }

    package func contains(_ step: Step) -> Bool {
        steps.contains(step)
    }
}
