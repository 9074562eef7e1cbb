public import Dispatch
public import Foundation
import Locking

extension DownloadManager {
    /// Makes a `Foundation.Progress` of all this manager's downloads that have not ended now, and of those that are
    /// enqueued before all of these have ended.
    ///
    ///     manager.download(urls)
    ///     let progress = manager.makeProgress(on: .main)
    ///
    /// Ask for it after enqueueing: once none is left under way it is over, and what is enqueued later belongs to the
    /// next. It is then finished, unless no file came of it at all or it was cancelled. Downloads that fail or are
    /// cancelled leave its counts.
    ///
    /// Its units are bytes, of those that are finished, too. It is indeterminate, with a total of -1, as long as one size
    /// is not known; the `fractionCompleted` takes such a one for the mean of those that are, so it may fall. The
    /// `userInfo` has the counts of files, and speed and time remaining of all together. It is paused while all that is
    /// left is paused. `cancel()`, `pause()` and `resume()` are ``cancelAll()``, ``pauseAll()`` and ``resumeAll()``: of
    /// all downloads that the manager has then.
    ///
    /// For threads, parents and the queue see ``Download/makeProgress(on:)``. It holds the manager, and the manager does
    /// not hold it. It costs some hundred bytes for each download, and nothing when there is none.
    public func makeProgress(on queue: DispatchQueue? = nil) -> Progress {
        let source = ManagerProgressSource(manager: self)
        let progress = LiveProgress(source, queue: queue ?? configuration.callbackQueue)
        source.tally.setUpdater(progress.updater)
        observers.add(source.tally) { downloads }
        source.tally.endIntroductions()
        return progress
    }
}

/// All downloads of a manager, as a `Progress` shows them.
private final class ManagerProgressSource: ProgressSource {
    let tally = TallyObserver()
    private let manager: DownloadManager
    private let isCancelled = Locked(false)

    init(manager: DownloadManager) {
        self.manager = manager
    }

    var reading: ProgressReading {
        var (reading, running, expectedTotal) = tally.read { ($0.reading, $0.running, $0.expectedTotal) }
        reading.isCancelled = isCancelled.withLock { $0 }
        if reading.isCancelled { reading.isFinished = false }
        // Asked outside of the tally's lock, which is taken under theirs.
        let speed = running.values.reduce(0) { $0 + $1.progress.bytesPerSecond }
        reading.bytesPerSecond = speed
        if speed > 0, let expectedTotal {
            let rest = expectedTotal - Double(reading.completedBytes)
            reading.timeRemaining = .seconds(min(max(rest, 0) / speed, 3_155_760_000))
        }
        return reading
    }

    var title: String {
        let count = tally.read { $0.reading.fileTotalCount }
        return "Downloading \(count) \(count == 1 ? "file" : "files")"
    }

    func pause() { manager.pauseAll() }
    func resume() { manager.resumeAll() }

    func cancel() {
        isCancelled.withLock { $0 = true }
        manager.cancelAll()
    }

    func remove(_ updater: ProgressUpdater) { manager.observers.remove(tally) }
}

/// Keeps a tally. Apart from what holds the manager, because the manager's observers hold it.
final class TallyObserver: DownloadObserver {
    private let tally = Locked(DownloadTally())
    private let updater = Locked<ProgressUpdater?>(nil)

    var wantsProgress: Bool { true }

    func read<Result>(_ read: (DownloadTally) -> Result) -> Result { tally.withLock { read($0) } }

    func setUpdater(_ updater: ProgressUpdater) {
        self.updater.withLock { $0 = updater }
    }

    func endIntroductions() {
        tally.withLock { $0.endIntroductions() }
        act()
    }

    func notePresent(_ state: DownloadState, _ progress: DownloadProgress, of download: Download) {
        tally.withLock { $0.introduce(download, state, progress) }
    }

    func note(_ event: DownloadEvent, of download: Download) {
        tally.withLock { $0.note(event, of: download) }
    }

    func act() {
        updater.withLock { $0 }?.act()
    }
}
