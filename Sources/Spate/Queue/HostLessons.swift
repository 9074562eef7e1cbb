import SpateHTTPSyntax
import SpateHosts
import SpateLocking

/// What the process has learned about hosts: how many downloads at once are right, how many connections for one file help
/// or are allowed, and what proves the ends of files without a length.
struct HostLessons {
    /// The lesson about one host.
    struct Lesson {
        /// How many connections helped with the last file.
        var helpful: Int?
        /// How many connections the host allowed for a file, and when.
        var allowed: (count: Int, since: ContinuousClock.Instant)?
        /// When a helper was opened last.
        var helped: ContinuousClock.Instant?
        /// How many downloads at once were right while no other host was in use.
        var downloads: Int?
        /// How many downloads at once it bears, if more were too many.
        var borne: Int?
        /// Whether to open no more helpers: they get no answer, receive wrong bytes, or cause refusals.
        var isAlone = false
        /// What proves the ends of its bodies over HTTP/2, if one had no length.
        var endProof: EndProof?
    }

    private var lessons: [HTTPOrigin: Lesson] = [:]

    /// Beyond this many hosts, all lessons are forgotten.
    private static let mostLessons = 4096
    /// A helper that was opened within this time before a refusal may have caused it.
    private static let blamedTime = Duration.seconds(10)

    subscript(host: HTTPOrigin) -> Lesson { lessons[host] ?? Lesson() }

    /// A request was refused. Returns whether a recent helper may have caused that. Then no more are opened.
    mutating func blameHelpers(_ host: HTTPOrigin, now: ContinuousClock.Instant) -> Bool {
        guard let helped = lessons[host]?.helped, now - helped <= Self.blamedTime else { return false }
        lessons[host]?.isAlone = true
        return true
    }

    /// How many connections this host allows for a file, if it has refused more.
    func allowedCount(_ host: HTTPOrigin, now: ContinuousClock.Instant) -> Int? {
        guard let allowed = lessons[host]?.allowed else { return nil }
        return allowed.count + QuietTime.regained(now - allowed.since)
    }

    mutating func learn(_ host: HTTPOrigin, _ change: (inout Lesson) -> Void) {
        if lessons.count >= Self.mostLessons, lessons[host] == nil { lessons = [:] }
        change(&lessons[host.alone, default: Lesson()])
    }
}
