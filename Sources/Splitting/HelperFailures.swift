/// Counts the failures of helpers, and limits later helpers. Pure, like its plan.
struct HelperFailures {
    typealias Connection = SegmentPlan.Connection
    typealias Time = Duration

    /// A connection that broke before this many bytes made no progress.
    private static let leastBrought: Int64 = 64 << 10
    private static let mostInARow = 2
    private static let mostSilent = 2
    private static let firstPause = Duration.milliseconds(100)
    private static let mostDoublings = 5

    /// Failures since a helper last made progress.
    private var inARow = 0
    private var last: Time?
    /// Failures since a helper last received much.
    private var sinceMuch = 0
    private var lastPause: Time?
    /// Until then, the parts of failed helpers are not requested again.
    private(set) var pausedUntil = Time.zero
    /// How many helpers in a row got no answer.
    private var silent = 0
    private var mostSilentInARow = 0
    /// When a request last failed without progress; `nil` after a later one has made progress.
    private var refused: Time?

    /// Whether helpers get no answer. Then no file of this host may open one.
    var isUnanswered: Bool { mostSilentInARow >= Self.mostSilent }

    /// Whether to open no more helpers for this file.
    var areTooMany: Bool { inARow >= Self.mostInARow }

    /// Whether another request may be refused, too.
    var mayRepeat: Bool { refused != nil }

    /// A helper has received its first bytes.
    mutating func noteAnswer() { silent = 0 }

    /// A helper has received all that it requested.
    mutating func noteEnd() { sinceMuch = 0 }

    /// - Parameter before: how much the helper had received before.
    mutating func noteAdvance(of helper: Connection, from before: Int64) {
        if before < Self.leastBrought, helper.brought >= Self.leastBrought {
            inARow = 0
            if let last = refused, helper.opened >= last { refused = nil }
        }
        if before < SegmentPlan.leastSize, helper.brought >= SegmentPlan.leastSize { sinceMuch = 0 }
    }

    /// A connection broke. Connections that were open at the last failure count as the same failure.
    mutating func noteCut(of connection: Connection, isFirst: Bool, now: Time) {
        if last.map({ connection.opened >= $0 }) ?? true {
            inARow += 1
            last = now
        }
        if isFirst { return }
        pause(after: connection, now: now)
        if connection.brought < Self.leastBrought { refused = now }
    }

    /// A helper has waited too long for its first byte.
    mutating func noteSilence(of helper: Connection, now: Time) {
        silent += 1
        mostSilentInARow = max(mostSilentInARow, silent)
        noteCut(of: helper, isFirst: false, now: now)
    }

    /// The server has enough connections.
    mutating func noteRefusal(of connection: Connection, isFirst: Bool, now: Time) {
        refused = now
        if !isFirst { pause(after: connection, now: now) }
    }

    /// Delays new requests for the part that a helper did not receive.
    private mutating func pause(after helper: Connection, now: Time) {
        guard lastPause.map({ helper.opened >= $0 }) ?? true else { return }
        lastPause = now
        pausedUntil = now + Self.firstPause * (1 << min(sinceMuch, Self.mostDoublings))
        sinceMuch += 1
    }
}
