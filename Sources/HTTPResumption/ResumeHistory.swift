import SpateHTTPSyntax

/// The steps that a download has tried, so that it does not repeat one without progress.
///
/// The caller keeps it across attempts, and records each step that a decision names before taking it.
package struct ResumeHistory: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// Dropped the bytes on disk for this cause.
        case restart(RestartCause)
        /// Sent a range request without If-Range, after a 200 to If-Range with the same entity tag.
        case plainRange
        /// Requested an overlap, after a 206 without a validator. Later attempts begin with an overlap.
        case overlap
        /// Requested the end of the held bytes, after a 416 without a total.
        case endOfHeld
        /// Requested the whole entity, after an error for a range request. The bytes on disk stay until its first byte.
        case withoutRange
        /// Retried after malformed chunks.
        case malformedChunks
        /// The server refused requests for parts beside the first connection, or the parts made a wrong file. Later
        /// attempts open no helpers.
        case alone
        /// Opened connections beside the first one.
        case helped
        /// Requested the whole entity without a condition, after a 304 that named another entity.
        case unconditional
        /// Returned from a redirected URL to the original URL.
        case originalURL
    }

    private var steps: Set<Step> = []

    package init() {}

    package mutating func record(_ step: Step) {
        steps.insert(step)
    }

    /// Call this when the download gets further than before. Most steps may then be tried once more.
    ///
    /// Restarts stay, so that a download cannot restart forever. `overlap`, `alone` and `helped` stay, because the
    /// server will need them again.
    package mutating func noteProgress() {
        if steps.isEmpty { return }
        steps.subtract([.plainRange, .endOfHeld, .withoutRange, .originalURL])
    }

    /// Call this when the server refuses the whole entity as well: the range was not the reason. A fresh URL may bring the
    /// rest.
    package mutating func noteRefusal() {
        steps.remove(.withoutRange)
    }

    /// Whether bytes on disk were dropped.
    package var hasRestarted: Bool {
        steps.contains { if case .restart = $0 { true } else { false } }
    }

    package func contains(_ step: Step) -> Bool {
        steps.contains(step)
    }
}
