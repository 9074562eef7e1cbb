public import Foundation
import SpateLocking
import SpateTiming

/// A whole download as an `Operation`: it finishes once, at the download's end, never at a pause or a retry.
///
///     let fetch = FetchOperation(url)
///     let unpack = BlockOperation { unpackArchive(fetch.file) }
///     fetch.addDependent(unpack)
///     queue.addOperation(fetch)
///     queue.addOperation(unpack)
///
/// The download is enqueued with its manager when this operation starts, so it waits for the operation's dependencies.
/// Add the operation to any queue, or to none and call ``start()`` yourself. It uses no thread while it runs, and none
/// of the manager's slots. In its own queue it counts as running until the end, even while the download is paused. Like
/// any operation it starts once; a second start does nothing.
///
/// ``result`` says whether the download succeeded, and is set when the operation is finished. Dependent operations also
/// start after a failure, as with any operation.
///
/// ``events`` delivers the download's events, and may be read before the start. On Linux there is no key-value
/// observing: nobody can observe `isExecuting` or `isFinished`.
///
/// On Linux an operation does not retain its dependents, and notifies them when it ends. If a dependent of yours was
/// cancelled and released before, the process crashes. Use ``addDependent(_:)``, which retains it, instead of its
/// `addDependency(_:)`, or retain it yourself until this operation is finished.
///
/// All members may be used from any thread.
public final class FetchOperation: Operation, @unchecked Sendable {
    // Unchecked because Operation is not checked itself. Everything added here is constant or locked.

    private enum Source {
        case request(DownloadRequest, DownloadManager)
        case download(Download)
    }

    private enum Phase {
        case ready
        case executing
        case finished
    }

    private struct Contents {
        var phase = Phase.ready
        /// `nil` after the start: an operation that waits for a download must not keep its manager alive.
        var source: Source?
        var download: Download?
        var result: Result<URL, DownloadError>?
        /// The readers of events before the download exists.
        var readers: [EventReader] = []
        var dependents: [Operation] = []
        var hasToldDependents = false
        var dependencies = Dependencies()
    }

    /// The download's URL.
    public let url: URL
    private let runtime: Runtime
    private let contents: Locked<Contents>

    /// An operation that downloads a URL.
    public convenience init(_ url: URL, manager: DownloadManager = .shared) {
        self.init(DownloadRequest(url), manager: manager)
    }

    /// An operation that downloads a request.
    public init(_ request: DownloadRequest, manager: DownloadManager = .shared) {
        url = request.url
        runtime = manager.surroundings.runtime
        contents = Locked(Contents(source: .request(request, manager)))
    }

    /// An operation that waits for the end of an existing download.
    public init(_ download: Download) {
        url = download.url
        runtime = download.runtime
        contents = Locked(Contents(source: .download(download), download: download))
    }

    /// The download; `nil` before the start of an operation for a URL or a request.
    public var download: Download? { contents.withLock { $0.download } }

    /// The download's events, beginning with its state at the start of this operation or, after that, its present
    /// state. The sequence ends after the end, without an event if the operation was cancelled before its start.
    ///
    ///     let fetch = FetchOperation(url)
    ///     let events = fetch.events
    ///     queue.addOperation(fetch)
    ///     for await event in events { print(event) }
    ///
    /// Each access makes a separate stream, for one reader. A slow reader misses progress, never a state. The stream
    /// does not keep the operation alive.
    public var events: AsyncStream<DownloadEvent> {
        let reader = EventReader(.download, on: runtime)
        let download = contents.withLock { contents in
            if contents.download == nil, contents.phase != .finished { contents.readers.append(reader) }
            return contents.download
        }
        if let download { return download.events }
        if isFinished { reader.close() }
        let subscription = Subscription(reader) { [weak self] in self?.remove($0) }
        return AsyncStream { await subscription.reader.next()?.event }
    }

    private func remove(_ reader: EventReader) {
        // The start may be about to add it to the download, and checks this afterwards.
        reader.abandon()
        let download = contents.withLock { contents in
            contents.readers.removeAll { $0 === reader }
            return contents.download
        }
        download?.remove(reader)
    }

    deinit {
        // It was never started.
        let (readers, dependencies) = contents.withLock { ($0.readers, $0.dependencies.removeAll()) }
        for end in dependencies { end.stop() }
        for reader in readers { reader.close() }
    }

    /// How it ended; `nil` until the operation is finished.
    public var result: Result<URL, DownloadError>? { contents.withLock { $0.result } }

    /// The file; `nil` until the operation is finished, and after a failure.
    public var file: URL? { try? result?.get() }

    /// Makes another operation depend on this one, and retains it until this one is finished.
    public func addDependent(_ operation: Operation) {
        contents.withLock { contents in
            if !contents.hasToldDependents { contents.dependents.append(operation) }
        }
        operation.addDependency(self)
    }

    /// Whether it may start: it was cancelled, or all operations that it depends on have finished.
    public override var isReady: Bool {
        super.isReady && (contents.withLock { $0.dependencies.haveEnded } || isCancelled)
    }

    /// The operations that it waits for, or has waited for. Empty once it has finished.
    public override var dependencies: [Operation] { contents.withLock { $0.dependencies.operations } }

    /// Makes this operation wait for another before it enqueues the download. Does nothing after the start.
    public override func addDependency(_ operation: Operation) {
        let end = contents.withLock { contents -> OperationEnd? in
            guard contents.phase == .ready else { return nil }
            return contents.dependencies.add(operation) { [weak self] in self?.noteReadiness() }
        }
        guard let end else { return }
        end.begin()
        noteReadiness()
    }

    /// Lets this operation start before another has ended.
    public override func removeDependency(_ operation: Operation) {
        guard let end = contents.withLock({ $0.dependencies.remove(operation) }) else { return }
        end.stop()
        noteReadiness()
    }

    /// Always true: it uses no thread while it runs.
    public override var isAsynchronous: Bool { true }

    /// Whether it has started and the download has not ended; true also while the download waits or is paused.
    public override var isExecuting: Bool { contents.withLock { $0.phase == .executing } }

    /// Whether the download has ended. ``result`` is set by then.
    public override var isFinished: Bool { contents.withLock { $0.phase == .finished } }

    /// Enqueues the download, unless the operation was cancelled. Called by the queue, or by you if there is none.
    public override func start() {
        let source = contents.withLock { contents -> Source? in
            guard contents.phase == .ready else { return nil }
            contents.phase = .executing
            return contents.source.take()
        }
        guard let source else { return }
        didChangeValue(forKey: "isExecuting")
        let download: Download
        switch source {
        case .download(let known): download = known
        case .request(let request, let manager):
            if isCancelled { return finish(.failure(.wasCancelled.of(url))) }
            download = manager.download(request)
            let readers = contents.withLock { contents in
                contents.download = download
                defer { contents.readers = [] }
                return contents.readers
            }
            for reader in readers {
                download.add(reader: reader)
                if reader.isClosed { download.remove(reader) }
            }
        }
        // If it was cancelled meanwhile, it may have found no download to cancel.
        if isCancelled { download.cancel() }
        download.whenEnded { [self] result in finish(result) }
    }

    /// Cancels the download, for all who wait for it, and keeps its partial file. The operation finishes soon after, or
    /// when its queue comes to it.
    public override func cancel() {
        super.cancel()
        download?.cancel()
    }

    private func finish(_ result: Result<URL, DownloadError>) {
        let (readers, dependencies) = contents.withLock { contents in
            contents.result = result
            contents.phase = .finished
            // There are some only if there is no download.
            defer { contents.readers = [] }
            return (contents.readers, contents.dependencies.removeAll())
        }
        for end in dependencies { end.stop() }
        for reader in readers { reader.close() }
        // With no lock held: these calls read the properties at once.
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        // They have been notified. A block that captures its operation must not keep it forever.
        let dependents = contents.withLock { contents in
            contents.hasToldDependents = true
            defer { contents.dependents = [] }
            return contents.dependents
        }
        completionBlock = nil
        withExtendedLifetime(dependents) {}
    }
}
