public import Foundation

extension DownloadManager {
    /// The file of this URL, as soon as it is complete.
    ///
    ///     let file = try await manager.file(for: url)
    ///
    /// It lasts through pauses and retries. Cancelling the task releases the download: it is cancelled, and its partial
    /// file kept, unless somebody else uses it, as <doc:Cancelling> explains. A task that was cancelled before enqueues
    /// nothing.
    ///
    /// - Throws: the ``DownloadError`` that ended the download, or `CancellationError` if the task was cancelled.
    public func file(for url: URL) async throws -> URL { try await file(for: DownloadRequest(url)) }

    /// The file of this request, as soon as it is complete. For the rest see ``file(for:)-(URL)``.
    public func file(for request: DownloadRequest) async throws -> URL {
        try Task.checkCancellation()
        let download = download(request)
        do {
            return try await download.file
        } catch let error as CancellationError {
            download.withdraw()
            download.writeCancellation()
            throw error
        }
    }

    /// The files of these URLs, as they finish. The first failure is thrown and ends the loop.
    ///
    ///     for try await (url, file) in manager.files(of: urls) {
    ///         print("\(url) is at \(file.path)")
    ///     }
    ///
    /// Nothing is enqueued before the loop requests its first file. Then a window of the sequence is enqueued: four
    /// times the number of slots, at least 64, including unread finished files. Up to 10,000 downloads that wait for full
    /// hosts do not count in it, so that one host does not block the others. So the sequence may be of any length
    /// and make its URLs on the way, and a slow loop slows it down. Use a sequence of your own, or an `AsyncStream`,
    /// since Swift's lazy ones are not `Sendable`. One task in all enqueues them, not on the caller's actor.
    ///
    /// If the loop ends early, by a failure, `break`, `return` or cancellation of its task, its downloads are
    /// cancelled, unless somebody else uses them; see <doc:Cancelling>. Partial and finished files are kept.
    ///
    /// A URL that occurs twice is downloaded once, and is in the results twice.
    public func files(of urls: some Sequence<URL> & Sendable) -> DownloadedFiles {
        DownloadedFiles(manager: self, feed: Self.feed(urls) { DownloadRequest($0) })
    }

    /// The files of these requests, as they finish. The first failure is thrown and ends the loop. For the rest see
    /// `files(of:)` for a sequence of URLs.
    public func files(of requests: some Sequence<DownloadRequest> & Sendable) -> DownloadedFiles {
        DownloadedFiles(manager: self, feed: Self.feed(requests) { $0 })
    }

    /// The files of the URLs of an async sequence, as they finish. The first failure, also of the sequence, is thrown
    /// and ends the loop. For the rest see `files(of:)` for a sequence of URLs.
    ///
    ///     for try await (_, file) in manager.files(of: links) {
    ///         try await unpack(file)
    ///     }
    public func files<URLs: AsyncSequence & Sendable>(of urls: URLs) -> DownloadedFiles where URLs.Element == URL {
        DownloadedFiles(manager: self, feed: Self.feed(urls) { DownloadRequest($0) })
    }

    /// The files of the requests of an async sequence, as they finish. The first failure, also of the sequence, is
    /// thrown and ends the loop. For the rest see `files(of:)` for a sequence of URLs.
    public func files<Requests: AsyncSequence & Sendable>(of requests: Requests) -> DownloadedFiles
    where Requests.Element == DownloadRequest {
        DownloadedFiles(manager: self, feed: Self.feed(requests) { $0 })
    }

    /// The result of each of these URLs, as they end. It never throws: a failure is a result.
    ///
    ///     for await (url, result) in manager.results(of: urls) {
    ///         switch result {
    ///         case .success(let file): print("\(url) is at \(file.path)")
    ///         case .failure(let error): print("\(url): \(error.message)")
    ///         }
    ///     }
    ///
    /// Every URL has its result; a repeated URL has several. When the loop ends early, downloads are cancelled as with
    /// `files(of:)` for a sequence of URLs, which also says how many are enqueued at a time.
    public func results(of urls: some Sequence<URL> & Sendable) -> DownloadResults {
        DownloadResults(manager: self, feed: Self.feed(urls) { DownloadRequest($0) })
    }

    /// The result of each of these requests, as they end. For the rest see `results(of:)` for a sequence of URLs.
    public func results(of requests: some Sequence<DownloadRequest> & Sendable) -> DownloadResults {
        DownloadResults(manager: self, feed: Self.feed(requests) { $0 })
    }

    /// The result of each URL of an async sequence, as they end. See also `results(of:)` for a sequence of URLs.
    public func results<URLs: AsyncSequence & Sendable>(of urls: URLs) -> DownloadResults
    where URLs.Element == URL, URLs.Failure == Never {
        DownloadResults(manager: self, feed: Self.feed(urls) { DownloadRequest($0) })
    }

    /// The result of each of the requests of an async sequence, as they end. For the rest see `results(of:)` for a
    /// sequence of URLs.
    public func results<Requests: AsyncSequence & Sendable>(of requests: Requests) -> DownloadResults
    where Requests.Element == DownloadRequest, Requests.Failure == Never {
        DownloadResults(manager: self, feed: Self.feed(requests) { $0 })
    }

    private static func feed<Elements: Sequence & Sendable>(
        _ elements: Elements,
        request: @escaping @Sendable (Elements.Element) -> DownloadRequest
    ) -> Batch.Feed {
        { batch in
            var iterator = elements.makeIterator()
            while await batch.hasRoom(), let element = iterator.next() { batch.enqueue(request(element)) }
        }
    }

    private static func feed<Elements: AsyncSequence & Sendable>(
        _ elements: Elements,
        request: @escaping @Sendable (Elements.Element) -> DownloadRequest
    ) -> Batch.Feed {
        { batch in
            var iterator = elements.makeAsyncIterator()
            while await batch.hasRoom(), let element = try await iterator.next() { batch.enqueue(request(element)) }
        }
    }
}
