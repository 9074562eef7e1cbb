public import Dispatch
public import Foundation
import Locking

extension Download {
    /// Makes a `Foundation.Progress` of this download: to show, to hand on, or to be a child of another.
    ///
    ///     let whole = Progress(totalUnitCount: Int64(urls.count))
    ///     for download in manager.download(urls) {
    ///         whole.addChild(download.makeProgress(on: .main), withPendingUnitCount: 1)
    ///     }
    ///
    /// Its units are bytes, resumed ones included. It is indeterminate, with a total of -1, while the size is not known,
    /// and finished when the whole file is in place, not before; a failed or cancelled download never finishes. When a
    /// file has to be fetched anew the count falls. Its `kind` is `.file`; the `userInfo` has the throughput, the time
    /// remaining, the count of files (one), and the file once it is there. It is cancelled and paused when the download
    /// is, whoever did that; `cancel()`, `pause()` and `resume()`, also those of a parent, are the download's, at once.
    /// Setting its counts does nothing.
    ///
    /// Foundation's `Progress` has no key-value observing on Linux, so read it as often as you show it; and it has no
    /// lock there. All of this one may be read and called on any thread. Its `fractionCompleted`, which moves at most ten
    /// times a second, and its parents are brought up to date on one queue: add it to a parent, and read or change the
    /// parent, on that queue alone.
    ///
    /// Every call makes another one, since a `Progress` has one parent. It holds the download, and the download does not
    /// hold it: one that nobody holds goes away.
    ///
    /// - Parameter queue: the serial queue on which it is brought up to date;
    ///   ``DownloadManager/Configuration/callbackQueue`` unless given.
    public func makeProgress(on queue: DispatchQueue? = nil) -> Progress {
        let queue = queue ?? manager?.configuration.callbackQueue ?? .main
        let progress = LiveProgress(DownloadProgressSource(download: self), queue: queue)
        let updater = progress.updater
        if add(updater) {
            // What happened before it was added.
            updater.act()
        } else {
            // Nobody else knows the object yet.
            progress.update()
        }
        return progress
    }
}

/// One download, as a `Progress` shows it.
private struct DownloadProgressSource: ProgressSource {
    let download: Download

    var reading: ProgressReading {
        let (state, progress) = download.standing
        var reading = ProgressReading(
            completedBytes: progress.receivedBytes,
            totalBytes: progress.totalBytes ?? download.request.expectedBytes,
            fileTotalCount: 1
        )
        switch state {
        case .finished(let file): (reading.isFinished, reading.fileCompletedCount, reading.file) = (true, 1, file)
        case .paused: reading.isPaused = true
        case .cancelled: reading.isCancelled = true
        case .running:
            reading.bytesPerSecond = progress.bytesPerSecond
            reading.timeRemaining = progress.timeRemaining
        case .waiting, .failed: break
        }
        if let total = reading.totalBytes {
            reading.fraction = total > 0 ? min(Double(reading.completedBytes) / Double(total), 1) : 0
        }
        return reading
    }

    var title: String { "Downloading \(download.request.fileName ?? download.url.lastPathComponent)" }

    func pause() { download.pause() }
    func resume() { download.resume() }
    func cancel() { download.cancel() }
    func remove(_ updater: ProgressUpdater) { download.remove(updater) }
}
