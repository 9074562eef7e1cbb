import Foundation
import Spate

/// The lines about retries. Of each host the first ones are told, then one every ten seconds: a host that is down must
/// not fill a log.
struct RetryLines {
    /// How many lines of a host come at once.
    private static let atOnce = 10
    /// The time after which a host may have another line.
    private static let interval = Duration.seconds(10)
    private static let mostHosts = 1000

    private struct Told {
        /// How many lines the host may have now.
        var left = RetryLines.atOnce
        var time: ContinuousClock.Instant
        /// How many retries were not told since its last line.
        var untold = 0
    }

    private var hosts: [String: Told] = [:]
    /// How many retries of hosts that are forgotten were not told.
    private var forgotten = 0

    /// The line for a retry, and for those before it that were not told; `nil` if it is not told.
    mutating func line(
        about error: DownloadError,
        at date: Date,
        of download: ShownDownload,
        now: ContinuousClock.Instant
    ) -> String? {
        let host = URL(string: download.url)?.host ?? ""
        if hosts.count >= Self.mostHosts, hosts[host] == nil {
            forgotten = untold
            hosts = [:]
        }
        var told = hosts[host] ?? Told(time: now)
        defer { hosts[host] = told }
        let regained = Int(clamping: Int64((now - told.time) / Self.interval))
        if regained > 0 {
            told.left = min(Self.atOnce, told.left + min(regained, Self.atOnce))
            told.time = now
        }
        guard told.left > 0 else {
            told.untold += 1
            return nil
        }
        told.left -= 1
        defer { told.untold = 0 }
        let others = told.untold == 0 ? "" : "; and \(PlainText.count(told.untold, "other")) at \(host)"
        return Self.line(about: error, at: date, of: download) + others
    }

    /// The line about the retries that were not told; `nil` if all were.
    var rest: String? {
        switch untold {
        case 0: nil
        case 1: "1 more retry"
        case let count: "\(count) more retries"
        }
    }

    private var untold: Int { hosts.values.reduce(forgotten) { $0 + $1.untold } }

    /// "a.iso: connection refused; try 2 of 6 in 3 s".
    private static func line(about error: DownloadError, at date: Date, of download: ShownDownload) -> String {
        let seconds = max(0, date.timeIntervalSinceNow).rounded(.up)
        let wait = seconds > 0 ? "in \(DownloadFormat.time(.seconds(seconds)))" : "now"
        let next =
            switch error.nextTry {
            case nil: "trying again"
            // The first try after a failure is at another place of the file.
            case let next? where next.number == 1: "trying another place"
            case let next?: "\(next)"
            }
        return "\(download.name): \(error.inBrief); \(next) \(wait)"
    }
}

/// Writes only the lines from ``say(_:as:)`` and, if wanted, retries: for error output that is not a terminal.
final class QuietDisplay: Display {
    let showsEvents = false
    let showsRetries: Bool
    private let write: (String) -> Void
    private var lines = RetryLines()

    init(showsRetries: Bool = false, write: @escaping (String) -> Void) {
        (self.showsRetries, self.write) = (showsRetries, write)
    }

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        guard case .state(.waiting(.retry(let date, let error))) = event else { return }
        if let line = lines.line(about: error, at: date, of: download, now: .now) { write(line) }
    }

    func say(_ line: String, as tone: Tone) { write(line) }

    func finish(_ failures: FailureCounts, cure: String?) {
        if let rest = lines.rest { write(rest) }
    }
}
