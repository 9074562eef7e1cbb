import Foundation
import Spate

/// Progress as plain lines on a terminal: one a download every few seconds, and one at its end.
final class ProgressLines: Display {
    let showsEvents = true
    private let write: (String) -> Void
    private let now: () -> ContinuousClock.Instant
    private var begun: [Int: Times] = [:]

    /// How long a download is silent between two lines.
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
        guard let times = begun[download.number], now - times.lastLine >= Self.interval else { return }
        begun[download.number]?.lastLine = now
        write("\(download.name): \(progress)")
    }

    private func show(_ state: DownloadState, of download: ShownDownload) {
        switch state {
        case .running:
            // A try after a wait goes on where the first one began: the time told in the end is that of all.
            if begun[download.number] == nil {
                begun[download.number] = Times(start: now(), lastLine: now())
            }
        case .waiting(.retry(let date, let error)):
            let seconds = max(0, date.timeIntervalSinceNow).rounded(.up)
            let wait = DownloadFormat.time(.seconds(seconds))
            write("\(download.name): again in \(wait): \(Address.oneLine(error.message))")
        case .finished(let file):
            let name = Address.oneLine(file.lastPathComponent)
            let size = DownloadFormat.size(download.progress.receivedBytes)
            if let times = begun.removeValue(forKey: download.number) {
                write("\(name): \(size) in \(DownloadFormat.elapsed(now() - times.start))")
            } else {
                write("\(name): \(size), already here")
            }
        case .failed, .cancelled:
            begun[download.number] = nil
        case .waiting(.slot), .paused:
            break
        }
    }
}
