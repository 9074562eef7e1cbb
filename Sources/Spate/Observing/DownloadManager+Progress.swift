public import Dispatch
public import Foundation
import SpateLocking

extension DownloadManager {
    /// The progress of all downloads together: of everything that was enqueued since the manager was last idle.
    ///
    ///     print(manager.progress)  // 3 of 10 files, 12.3 MB of 40 MB, 3.2 MB/s, 9 s left
    ///
    /// The manager is idle when nothing is queued, running or waiting for a retry. The counts stay then, until
    /// something is enqueued; paused downloads remain in them, even when resumed. A call that enqueues several, and a
    /// loop over `files(of:)` or `results(of:)`, count as one, even if all files already exist.
    ///
    /// Read it as often as you show it, such as ten times a second: it does not notify. Reading takes a few
    /// microseconds, and a little more for each running download, however many wait or have ended.
    public var progress: DownloadManagerProgress { observers.progress }

    /// Makes a `Foundation.Progress` of all unfinished downloads of this manager, and of downloads that are enqueued
    /// before the last of them ends.
    ///
    ///     manager.download(urls)
    ///     let progress = manager.makeProgress(on: .main)
    ///
    /// Make it after enqueueing. It is finished when no download is left, unless it was cancelled: at once, if all
    /// enqueued downloads have ended by then. Later downloads do not belong to it. Failed and cancelled downloads leave
    /// its counts.
    ///
    /// Its units are bytes, including finished downloads' bytes. While one size is unknown it is indeterminate, with a
    /// total of -1; the `fractionCompleted` then assumes the mean of the known sizes, so it may fall. The `userInfo`
    /// has the counts of files, the total speed and the time remaining. It is paused while the whole rest is paused.
    /// `cancel()`, `pause()` and `resume()` are ``cancelAll()``, ``pauseAll()`` and ``resumeAll()``.
    ///
    /// For threads, parents and the queue see ``Download/makeProgress(on:)``. It retains the manager, not the reverse.
    public func makeProgress(on queue: DispatchQueue? = nil) -> Progress {
        let updater = ProgressUpdater(queue: queue ?? configuration.callbackQueue)
        let progress = LiveProgress(ManagerProgressSource(manager: self, updater: updater), updater)
        observers.add(updater) { downloads }
        let mayBeOver = table.withLock { $0.hasHadDownloads }
        updater.tally.withLock { $0.endIntroductions(mayBeOver: mayBeOver) }
        updater.act()
        return progress
    }
}

/// The source of the `Progress` of all downloads of a manager.
private final class ManagerProgressSource: ProgressSource {
    private let manager: DownloadManager
    private let updater: ProgressUpdater
    private let isCancelled = Locked(false)

    init(manager: DownloadManager, updater: ProgressUpdater) {
        (self.manager, self.updater) = (manager, updater)
    }

    var reading: ProgressReading {
        var reading = updater.tally.withLock { $0.reading }
        reading.isCancelled = isCancelled.withLock { $0 }
        if reading.isCancelled { reading.isFinished = false }
        if reading.isFinished { return reading }
        // Outside the tally's lock, which is taken under those of downloads.
        let progress = manager.progress
        (reading.progress.bytesPerSecond, reading.timeRemaining) = (progress.bytesPerSecond, progress.timeRemaining)
        return reading
    }

    var title: String {
        let count = updater.tally.withLock { $0.reading.fileTotalCount }
        return "Downloading \(count) \(count == 1 ? "file" : "files")"
    }

    func pause() { manager.pauseAll() }
    func resume() { manager.resumeAll() }

    func cancel() {
        isCancelled.withLock { $0 = true }
        manager.cancelAll()
    }

    func remove(_ updater: ProgressUpdater) { manager.observers.remove(updater) }
}
