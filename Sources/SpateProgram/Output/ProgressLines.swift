import Foundation
import Spate

/// Progress as plain lines on a terminal: one line a download every few seconds, and one at its end.
final class ProgressLines: Display {
    let showsEvents = true
    private let write: (String) -> Void
    private let now: () -> ContinuousClock.Instant
    private var started: [Int: Times] = [:]

    /// The time between two lines of a download.
    static let interval = Duration.seconds(5)

    private struct Times {
        var start: ContinuousClock.Instant
        var lastLine: ContinuousClock.Instant
    }

    init(now: @escaping () -> ContinuousClock.Instant = { .now }, write: @escaping (String) -> Void) {
        self.now = now
        self.write = write
    }

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        case .progress(let progress): show(progress, of: download)
        case .state(let state): show(state, of: download)
        }
    }

    func say(_ line: String) {
        write(line)
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
            // The elapsed time includes all attempts. So a retry does not restart it.
            if started[download.number] == nil {
                started[download.number] = Times(start: now(), lastLine: now())
            }
        case .waiting(.retry(let date, let error)):
            let seconds = max(0, date.timeIntervalSinceNow).rounded(.up)
            let wait = DownloadFormat.time(.seconds(seconds))
            write("\(download.name): again in \(wait): \(PlainText.oneLine(error.message))")
        case .finished(let file):
            let name = PlainText.oneLine(file.lastPathComponent)
            let size = DownloadFormat.size(download.progress.receivedBytes)
            if let times = started.removeValue(forKey: download.number) {
                write("\(name): \(size) in \(DownloadFormat.elapsed(now() - times.start))")
            } else {
                write("\(name): \(size), already here")
            }
        case .failed, .cancelled:
            started[download.number] = nil
        case .waiting(.slot), .paused:
            break
        }
    }
}
