/// How helpers have failed, and what follows for the next ones. Pure, as the plan that it belongs to.
struct HelperFailures {
    typealias Connection = SegmentPlan.Connection
    typealias Time = Duration

    /// A connection that brings less than this before it is cut has brought nothing.
    private static let leastBrought: Int64 = 64 << 10
    private static let mostInARow = 2
    private static let mostSilent = 2
    private static let firstPause = Duration.milliseconds(100)
    private static let mostDoublings = 5

    /// How many failed since one brought something.
    private var inARow = 0
    private var last: Time?
    /// How many failed since one brought much.
    private var sinceMuch = 0
    private var lastPause: Time?
    /// Until when the parts of those that failed are not asked for again.
    private(set) var pausedUntil = Time.zero
    /// How many in a row got no answer.
    private var silent = 0
    private var mostSilentInARow = 0
    /// When a request last brought nothing; `nil` once a later one has brought something.
    private var refused: Time?

    /// Whether helpers get no answer, so that none is to be opened for any file of this host.
    var isUnanswered: Bool { mostSilentInARow >= Self.mostSilent }

    /// Whether there should be no more for this file.
    var areTooMany: Bool { inARow >= Self.mostInARow }

    /// Whether another request may be refused, too.
    var mayRepeat: Bool { refused != nil }

    /// The first bytes of a helper have come.
    mutating func noteAnswer() { silent = 0 }

    /// A helper has brought all that it was asked for.
    mutating func noteEnd() { sinceMuch = 0 }

    /// - Parameter before: what the helper had brought before.
    mutating func noteAdvance(of helper: Connection, from before: Int64) {
        if before < Self.leastBrought, helper.brought >= Self.leastBrought {
            inARow = 0
            if let last = refused, helper.opened >= last { refused = nil }
        }
        if before < SegmentPlan.leastSize, helper.brought >= SegmentPlan.leastSize { sinceMuch = 0 }
    }

    /// A connection was cut. Those that were under way at the last failure count with it.
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

    /// What a helper did not bring is not asked for again at once.
    private mutating func pause(after helper: Connection, now: Time) {
        guard lastPause.map({ helper.opened >= $0 }) ?? true else { return }
        lastPause = now
        pausedUntil = now + Self.firstPause * (1 << min(sinceMuch, Self.mostDoublings))
        sinceMuch += 1
    }
}
