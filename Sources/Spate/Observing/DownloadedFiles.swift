public import Foundation

/// The files of many URLs, as they finish. See `DownloadManager.files(of:)`.
public struct DownloadedFiles: AsyncSequence, Sendable {
    /// A URL, as given, and its file.
    public typealias Element = (url: URL, file: URL)

    let manager: DownloadManager
    let feed: Batch.Feed

    /// Begins a separate loop. Nothing is enqueued before its first file is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(batch: Batch.subscription(manager: manager, feed: feed))
    }

    /// Releasing it ends the loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let batch: Subscription<Batch>
        private var isOver = false

        init(batch: Subscription<Batch>) {
            self.batch = batch
        }

        /// The next file; `nil` after the last.
        ///
        /// - Throws: the ``DownloadError`` of the first URL without a file, the error of the sequence of URLs, or
        ///   `CancellationError` when the task was cancelled before the last file. Nothing follows after that.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            guard !isOver else { return nil }
            if let (url, result) = await batch.reader.next() {
                switch result {
                case .success(let file): return (url, file)
                case .failure(let error):
                    isOver = true
                    batch.reader.end(early: .abandoned)
                    throw error
                }
            }
            isOver = true
            switch batch.reader.end {
            case .abandoned: throw CancellationError()
            case .sourceFailed(let error): throw error
            case .complete, nil: return nil
            }
        }
    }
}
