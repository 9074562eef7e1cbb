public import Dispatch
public import Foundation
import SpateLocking

extension Download {
    /// Makes a `Foundation.Progress` of this download, to show, pass on, or add to a parent.
    ///
    ///     let whole = Progress(totalUnitCount: Int64(urls.count))
    ///     for download in manager.download(urls) {
    ///         whole.addChild(download.makeProgress(on: .main), withPendingUnitCount: 1)
    ///     }
    ///
    /// Its units are bytes, including resumed ones. While the size is unknown it is indeterminate, with a total of -1.
    /// It is finished when the file has its final name; a failed or cancelled download never finishes. If a file has to
    /// be fetched again from the start, the count falls. The `kind` is `.file`. The `userInfo` has the throughput, the
    /// time remaining, the count of files (one), and the file once it exists. It is paused and cancelled together with
    /// the download. `cancel()`, `pause()` and `resume()`, even a parent's, act on the download at once. Setting its
    /// counts does nothing.
    ///
    /// On Linux Foundation's `Progress` has no key-value observing, so read it as often as you show it, and no lock.
    /// This one may be read and called on any thread. Its `fractionCompleted` and its parents change at most ten times
    /// a second, on one queue: add it to a parent, and use the parent, on that queue only.
    ///
    /// Every call makes a new object, since a `Progress` has one parent. It retains the download, not the reverse.
    ///
    /// - Parameter queue: the serial queue for updates; ``DownloadManager/Configuration/callbackQueue`` by default.
    public func makeProgress(on queue: DispatchQueue? = nil) -> Progress {
        let updater = ProgressUpdater(queue: queue ?? manager?.configuration.callbackQueue ?? .main)
        let progress = LiveProgress(DownloadProgressSource(download: self), updater)
        if add(updater) {
            // The events before it was added.
            updater.act()
        } else {
            // Nobody else knows the object yet.
            progress.update()
        }
        return progress
    }
}

/// The source of one download's `Progress`.
private struct DownloadProgressSource: ProgressSource {
    let download: Download

    var reading: ProgressReading {
        let (state, progress) = download.standing
        var reading = ProgressReading(progress: progress, fileTotalCount: 1)
        reading.progress.totalBytes = progress.totalBytes ?? download.enqueuedRequest.expectedBytes
        // It is not in the text of a `Progress`.
        reading.progress.connectionCount = 0
        switch state {
        case .finished(let file): (reading.isFinished, reading.fileCompletedCount, reading.file) = (true, 1, file)
        case .paused: reading.isPaused = true
        case .cancelled: reading.isCancelled = true
        case .running: reading.timeRemaining = progress.timeRemaining
        case .waiting, .failed: break
        }
        if let total = reading.progress.totalBytes, total > 0 {
            reading.fraction = min(Double(progress.receivedBytes) / Double(total), 1)
        }
        return reading
    }

    var title: String { "Downloading \(download.enqueuedRequest.fileName ?? download.url.lastPathComponent)" }

    func pause() { download.pause() }
    func resume() { download.resume() }
    func cancel() { download.cancel() }
    func remove(_ updater: ProgressUpdater) { download.remove(updater) }
}
