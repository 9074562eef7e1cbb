public import Foundation

extension DownloadManager {
    /// What happens to all downloads of this manager from now on, beginning with the present state of each that waits,
    /// runs or is paused.
    ///
    ///     for await (download, event) in manager.events {
    ///         switch event {
    ///         case .state(let state): print(download.url, state)
    ///         case .progress(let progress): print(download.url, progress)
    ///         }
    ///     }
    ///
    /// Each access makes a stream of its own, for one reader. The first event of a download that is enqueued later is its
    /// state, or its progress if it ends at once; the last is its end, and all come in order. A slow reader misses progress,
    /// never a state: the memory that it costs is bounded by the states that it has not read.
    ///
    /// The stream does not keep the manager alive. It ends when the manager goes, or when the task that reads it is
    /// cancelled.
    public var events: AsyncStream<(download: Download, event: DownloadEvent)> {
        let reader = EventReader(.manager, on: surroundings.runtime)
        observers.add(reader) { downloads }
        let subscription = Subscription(reader) { [observers] in observers.remove($0) }
        return AsyncStream {
            await subscription.reader.next()
        } onCancel: {
            reader.abandon()
        }
    }

    /// The ends of all downloads of this manager from now on, several at a time.
    ///
    ///     for await ends in manager.ends {
    ///         for (download, result) in ends { print(download.url, result) }
    ///     }
    ///
    /// Made for many small files, of which it costs a fraction of what ``events`` do: the loop goes on at most ten times a
    /// second, and once more when the manager is idle. So an end comes at most a tenth of a second late, and the last one
    /// at once. Each turn has at least one end, in their order.
    ///
    /// Each access makes a stream of its own, for one reader. A slow reader misses none: the ends that it has not read wait
    /// in memory. The stream does not keep the manager alive. It ends when the manager goes, or when the task that reads it
    /// is cancelled.
    public var ends: AsyncStream<[(download: Download, result: Result<URL, DownloadError>)]> {
        let reader = EndsReader(on: surroundings.runtime)
        observers.add(reader) { [] }
        let subscription = Subscription(reader) { [observers] in observers.remove($0) }
        return AsyncStream {
            await subscription.reader.next()
        } onCancel: {
            reader.abandon()
        }
    }
}
