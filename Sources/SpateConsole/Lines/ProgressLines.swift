import Foundation
import Spate

/// Progress as plain lines: a line for each file when it is done, and for each retry. On a terminal also a line for each
/// running download every few seconds; in a log a summary at the end.
final class ProgressLines: Display {
    let showsEvents = true
    private let write: (String) -> Void
    private let now: () -> ContinuousClock.Instant
    private let style: Style
    private let start: ContinuousClock.Instant
    private var started: [Int: Times] = [:]
    private var summary = RunSummary()
    private let listsAll: Bool
    private var retries = RetryLines()

    enum Style {
        case terminal, log
    }

    /// The time between two lines of a download on a terminal.
    static let interval = Duration.seconds(5)

    private struct Times {
        var begin: FinishedFile.Begin
        var lastLine: ContinuousClock.Instant
    }

    init(
        _ style: Style = .terminal,
        listsAll: Bool = false,
        now: @escaping () -> ContinuousClock.Instant = { .now },
        write: @escaping (String) -> Void
    ) {
        self.style = style
        self.listsAll = listsAll || style == .log
        self.now = now
        self.write = write
        start = now()
    }

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        case .progress(let progress):
            started[download.number]?.begin.note(progress)
            if style == .terminal { show(progress, of: download) }
        case .state(let state): show(state, of: download)
        }
    }

    func say(_ line: String, as tone: Tone) {
        write(line)
    }

    var hasSummary: Bool { style == .log }

    func finish(_ failures: FailureCounts, cure: String?) {
        if let rest = retries.rest { write(rest) }
        if hasSummary { write(summary.text(after: now() - start, failures, cure: cure)) }
    }

    private func show(_ progress: DownloadProgress, of download: ShownDownload) {
        let now = now()
        guard let times = started[download.number], now - times.lastLine >= Self.interval else { return }
        started[download.number]?.lastLine = now
        write("\(download.name): \(progress)")
    }

    private func show(_ state: DownloadState, of download: ShownDownload) {
        switch state {
        case .running:
            // The elapsed time includes all attempts, so a retry does not restart it.
            if started[download.number] == nil {
                started[download.number] = Times(begin: FinishedFile.Begin(download, at: now()), lastLine: now())
            }
        case .waiting(.retry(let date, let error)):
            if let line = retries.line(about: error, at: date, of: download, now: now()) { write(line) }
        case .finished(let file):
            let begin = started.removeValue(forKey: download.number)?.begin
            let finished = FinishedFile(file, of: download, since: begin, now: now())
            summary.note(finished)
            if listsAll || summary.count <= LiveDisplay.mostListed {
                write(finished.text())
            } else if summary.count == LiveDisplay.mostListed + 1 {
                write("More finished files are only counted. To list all, give --verbose.")
            }
        case .failed:
            started[download.number] = nil
        case .cancelled:
            started[download.number] = nil
            summary.cancelled += 1
        case .waiting(.slot), .waiting(.host), .waiting(.disk), .paused:
            break
        }
    }
}
