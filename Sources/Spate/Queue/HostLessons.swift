import HTTPSyntax
import Hosts
import Locking

/// What the process has learned about hosts: how many connections for one file help, or are allowed.
struct HostLessons {
    /// How many connections of one file there are to be.
    struct Lesson {
        /// How many helped.
        var helpful: Int?
        /// How many the host allowed, and when it said so.
        var allowed: (count: Int, since: ContinuousClock.Instant)?
        /// When a helper was opened last.
        var helped: ContinuousClock.Instant?
        /// Whether there are no more helpers: they get no answer, bring wrong bytes, or have the others refused.
        var isAlone = false
    }

    private var lessons: [HTTPOrigin: Lesson] = [:]

    /// Beyond this many hosts all lessons are forgotten.
    private static let mostLessons = 4096
    /// A refusal within this time after a helper was opened may be on its account.
    private static let blamedTime = Duration.seconds(10)

    /// How many connections helped with the last file from this host.
    func helpfulCount(_ host: HTTPOrigin) -> Int? { lessons[host]?.helpful }

    /// Whether each file of this host has one connection.
    func isAlone(_ host: HTTPOrigin) -> Bool { lessons[host]?.isAlone ?? false }

    /// A request was refused. Whether that may be because of a helper that was opened lately: then there are no more.
    mutating func blameHelpers(_ host: HTTPOrigin, now: ContinuousClock.Instant) -> Bool {
        guard let helped = lessons[host]?.helped, now - helped <= Self.blamedTime else { return false }
        lessons[host]?.isAlone = true
        return true
    }

    /// How many connections this host allows for a file, as far as it has refused more.
    func allowedCount(_ host: HTTPOrigin, now: ContinuousClock.Instant) -> Int? {
        guard let allowed = lessons[host]?.allowed else { return nil }
        return allowed.count + QuietTime.regained(now - allowed.since)
    }

    mutating func learn(_ host: HTTPOrigin, _ change: (inout Lesson) -> Void) {
        if lessons.count >= Self.mostLessons, lessons[host] == nil { lessons = [:] }
        change(&lessons[host.alone, default: Lesson()])
    }
}
