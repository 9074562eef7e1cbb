public import Foundation

/// The results of many URLs, as they end. See `DownloadManager.results(of:)`.
public struct DownloadResults: AsyncSequence, Sendable {
    /// A URL, as given, and its file or error.
    public typealias Element = (url: URL, result: Result<URL, DownloadError>)

    let manager: DownloadManager
    let feed: Batch.Feed

    /// Begins a separate loop. Nothing is enqueued before its first result is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(batch: Batch.subscription(manager: manager, feed: feed))
    }

    /// Releasing it ends the loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let batch: Subscription<Batch>

        /// The next result; `nil` after the last, and if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await batch.reader.next()
        }
    }
}
