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
}
