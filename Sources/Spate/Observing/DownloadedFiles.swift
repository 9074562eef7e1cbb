public import Foundation

/// The files of many URLs, as they finish. See `DownloadManager.files(of:)`.
public struct DownloadedFiles: AsyncSequence, Sendable {
    /// A URL, as given, and its file.
    public typealias Element = (url: URL, file: URL)

    let manager: DownloadManager
    let feed: Batch.Feed

    /// Begins a separate loop. Nothing is enqueued before its first file is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: BatchReader(Batch(manager: manager, feed: feed)))
    }

    /// Releasing it ends the loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: BatchReader
        private var isOver = false

        init(reader: BatchReader) {
            self.reader = reader
        }

        /// The next file; `nil` after the last.
        ///
        /// - Throws: the ``DownloadError`` of the first URL without a file, the error of the sequence of URLs, or
        ///   `CancellationError` when the task was cancelled before the last file. Nothing follows after that.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
            guard !isOver else { return nil }
            if let (url, result) = await reader.batch.next() {
                switch result {
                case .success(let file): return (url, file)
                case .failure(let error):
                    isOver = true
                    reader.batch.end(early: .abandoned)
                    throw error
                }
            }
            isOver = true
            switch reader.batch.end {
            case .abandoned: throw CancellationError()
            case .sourceFailed(let error): throw error
            case .complete, nil: return nil
            }
        }
    }
}
