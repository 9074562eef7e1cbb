public import Foundation

extension DownloadManager {
    /// The events of all downloads of this manager from now on, beginning with the present state of each that waits,
    /// runs or is paused.
    ///
    ///     for await (download, event) in manager.events {
    ///         switch event {
    ///         case .state(let state): print(download.url, state)
    ///         case .progress(let progress): print(download.url, progress)
    ///         }
    ///     }
    ///
    /// Each access makes a separate stream, for one reader. The first event of a new download is its state, or its
    /// progress if it ends at once; the last is its end, and all come in order. A slow reader misses progress, never a
    /// state: its memory is bounded by the unread states.
    ///
    /// The stream does not keep the manager alive. It ends when the manager goes, or when the reading task is
    /// cancelled.
    public var events: AsyncStream<(download: Download, event: DownloadEvent)> {
        let reader = EventReader(.manager, on: surroundings.runtime)
        observers.add(reader) { downloads }
        let subscription = Subscription(reader) { [observers] in observers.remove($0) }
        return AsyncStream { await subscription.reader.next() }
    }

    /// The failures of all downloads of this manager from now on that are retried, beside ``ends``, which has the others.
    ///
    ///     for await (download, date, error) in manager.retries {
    ///         print("\(download.url): \(error.message); again at \(date)")
    ///     }
    ///
    /// It costs nothing as long as nothing fails. ``DownloadError/nextTry`` says how many tries are left, and `date` when
    /// the next one begins. A refusal that a freshly prepared request follows at once is not among them; see
    /// ``Configuration-swift.struct/prepare``.
    ///
    /// Each access makes a separate stream, for one reader. A slow reader misses none: unread failures wait in memory.
    /// The stream does not keep the manager alive. It ends when the manager goes, or when the reading task is cancelled.
    public var retries: AsyncStream<(download: Download, date: Date, error: DownloadError)> {
        let reader = EventReader(.retries, on: surroundings.runtime)
        observers.add(reader) { [] }
        let subscription = Subscription(reader) { [observers] in observers.remove($0) }
        return AsyncStream {
            guard let next = await subscription.reader.next(),
                case .state(.waiting(.retry(let date, let error))) = next.event
            else { return nil }
            return (next.download, date, error)
        }
    }

    /// The downloads of this manager that end from now on, several at a time.
    ///
    ///     for await ended in manager.ends {
    ///         for download in ended { print(download.url, download.state) }
    ///     }
    ///
    /// Made for many small files, at a fraction of the cost of ``events``: the loop continues at most ten times a
    /// second, and once more when the manager is idle. So an end comes at most a tenth of a second late, and the last
    /// one at once. Each turn has at least one end, in their order.
    ///
    /// Each access makes a separate stream, for one reader. A slow reader misses none: unread ends wait in memory. The
    /// stream does not keep the manager alive. It ends when the manager goes, or when the reading task is cancelled.
    public var ends: AsyncStream<[Download]> {
        let reader = EndsReader(on: surroundings.runtime)
        observers.add(reader) { [] }
        let subscription = Subscription(reader) { [observers] in observers.remove($0) }
        return AsyncStream { await subscription.reader.next() }
    }
}
