public import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// Runs downloads, a few at a time, and finds each by its URL.
///
/// Two URLs are the same if they name the same resource to a server: the letter case of scheme and host, the default
/// port, the fragment, and a user and password make no difference. A download is known from its enqueueing to its end.
/// After that, its URL leads to its files on disk.
///
/// All members may be used from any thread. A manager without references finishes everything that is queued, running or
/// waiting for a retry; its paused downloads end as cancelled, with their partial files kept. With
/// ``Configuration-swift.struct/keepsQueue`` they can be restored.
public final class DownloadManager: Sendable {
    /// The manager for most programs, with the default configuration.
    public static let shared = DownloadManager()

    /// Its configuration.
    public let configuration: Configuration

    let validConfiguration: ValidConfiguration
    let surroundings: Surroundings
    let feed: OperationFeed
    let table = Locked(DownloadTable(), .table)
    let directories: DirectoryCache
    /// The rate limit for all downloads together.
    let rateLimit: RateLimit
    /// Owns partial files that no attempt has open.
    let ownership: Ownership
    /// The queue's journal; `nil` if the queue is not kept.
    let journal: QueueJournal?
    let lastRestoreFailure = Locked<DownloadError?>(nil)
    let observers: Observers
    let delegation = Locked(Delegation())
    /// The initial machine of each new download.
    let newMachine: DownloadMachine

    /// Makes a manager. It shares only connections with others.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, in: .ofThisProcess)
    }

    /// Makes a manager with a folder for its files, and the defaults for everything else.
    ///
    ///     let manager = DownloadManager(directory: folder)
    public convenience init(directory: URL) {
        self.init(configuration: Configuration(directory: directory))
    }

    /// Makes a manager with a folder for its files and a number of slots, and the defaults for everything else.
    ///
    ///     let manager = DownloadManager(directory: folder, maxConcurrentDownloads: 8)
    ///
    /// For more values, make a ``Configuration-swift.struct``.
    public convenience init(directory: URL, maxConcurrentDownloads: Int) {
        self.init(
            configuration: Configuration(directory: directory, maxConcurrentDownloads: maxConcurrentDownloads)
        )
    }

    package init(configuration: Configuration, in surroundings: Surroundings) {
        TimerQueue.prepare()
        self.configuration = configuration
        self.surroundings = surroundings
        ownership = Ownership(on: surroundings.platform)
        observers = Observers(surroundings)
        validConfiguration = ValidConfiguration(configuration, digests: surroundings.digests)
        directories = DirectoryCache(own: try? validConfiguration.directory.get(), on: surroundings.platform)
        rateLimit = RateLimit(configuration.maxBytesPerSecond, clock: surroundings.runtime.clock)
        feed = OperationFeed(
            configuration,
            rateLimit,
            in: surroundings
        )
        surroundings.add(feed)
        let path = try? validConfiguration.directory.get()
        journal =
            configuration.keepsQueue
            ? path.map { QueueJournal(in: DownloadDirectory(path: $0, platform: surroundings.platform)) } : nil
        newMachine = DownloadMachine(policy: configuration.retry, prepares: configuration.prepare != nil)
        feed.pacer.onSurplus { [weak self] in self?.endLatest($0, at: $1) }
    }

    deinit {
        // Paused downloads stay in the journal, to be restored.
        ownership.end()
        journal?.close()
        cancelAll()
        observers.close()
    }

    /// How many downloads run at once.
    ///
    /// A change takes effect at once: more start, or none starts until fewer run. It interrupts no download.
    public var concurrency: DownloadConcurrency {
        get { feed.pacer.concurrency }
        set { feed.pacer.set(newValue, in: feed) }
    }

    /// How many downloads may run at once at present, at least 1. Setting it makes ``concurrency`` exact.
    ///
    /// A change takes effect at once: more start, or none starts until fewer run. It interrupts no download.
    public var maxConcurrentDownloads: Int {
        get { feed.limit }
        set { concurrency = .exactly(newValue) }
    }

    /// A server does not bear so many: the latest downloads wait again.
    ///
    /// - Parameter host: the server; `nil` if it may be any.
    func endLatest(_ count: Int, at host: HTTPOrigin? = nil) {
        if count <= 0 { return }
        let running = table.withLock { $0.holders }.compactMap { operation in operation.began.map { (operation, $0) } }
            .filter { operation, _ in host.map { operation.isConnected(to: $0) } ?? true }
        for (operation, _) in running.sorted(by: { $0.1 > $1.1 }).prefix(count) { operation.giveWay() }
    }

    /// The limit for the received bytes per second of all downloads together; `nil` for no limit.
    ///
    /// A change takes effect at once, also for running downloads. They share the rate equally; others get what one does
    /// not use. A value below 1 counts as 1. Under a limit each download has one connection, over HTTP/1.1; see
    /// <doc:Limits>.
    public var maxBytesPerSecond: Int64? {
        get { rateLimit.bytesPerSecond }
        set { rateLimit.bytesPerSecond = newValue }
    }

    /// Enqueues a URL. See ``download(_:progress:completion:)-(DownloadRequest,_,_)``.
    @discardableResult
    public func download(
        _ url: URL,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil,
        completion: (@Sendable (Result<URL, DownloadError>) -> Void)? = nil
    ) -> Download {
        download(DownloadRequest(url), progress: progress, completion: completion)
    }

    /// Enqueues a request and returns at once.
    ///
    /// A URL is not downloaded twice at a time. If an equal request for it is under way, its download is returned; it
    /// continues if it was paused, and this caller's closures are called as well. A request that would not get what it
    /// asks for fails with ``DownloadError/Code/conflict``:
    ///
    /// - One with another user, password, client certificate, header, private header, file name, folder or checksum.
    /// - One with another expected size, and one with another largest size, unless the file is known to have no more.
    /// - One with another ``DownloadRequest/checksForUpdate``. But whoever does not check gets a finished file at once.
    /// - One that repairs or replaces a file or uses the server's Metalink, where the download does not; and one that does
    ///   not take any existing file, where the download does.
    /// - One with other ``DownloadRequest/allowsInsecureRedirects``, or that asks for other times of files.
    ///
    /// Mirrors are added to those of the download, and ``DownloadRequest/maxBytesPerSecond`` counts from now on. Priority
    /// and connections stay the first request's.
    ///
    /// If the complete file is on disk, in a size that the request allows, the download has finished when this call
    /// returns or, if the request has a checksum, when the file has been read. This ignores the credentials that the
    /// file was fetched with: a program with several tenants needs a manager with a separate folder for each. An
    /// invalid request, such as one with a scheme other than `http` and `https`, has failed when this call returns.
    ///
    /// The call reads the folder and waits for nothing else.
    ///
    /// - Parameters:
    ///   - request: what to download, and how.
    ///   - progress: called with the newest progress on the callback queue, at most ten times a second, and at the end.
    ///   - completion: called there once, with the file or the error.
    /// - Returns: the download, which the manager holds until it ends.
    @discardableResult
    public func download(
        _ request: DownloadRequest,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil,
        completion: (@Sendable (Result<URL, DownloadError>) -> Void)? = nil
    ) -> Download {
        let observer =
            if progress == nil, completion == nil { QueueObserver?.none } else {
                QueueObserver(on: configuration.callbackQueue, progress: progress) { completion?($1) }
            }
        return Enqueueing(manager: self).enqueue(request, observer: observer)
    }

    /// Enqueues a URL. A trailing closure without `progress` is the completion.
    @discardableResult
    public func download(
        _ url: URL,
        completion: @escaping @Sendable (Result<URL, DownloadError>) -> Void
    ) -> Download {
        download(DownloadRequest(url), progress: nil, completion: completion)
    }

    /// Enqueues a request. A trailing closure without `progress` is the completion.
    @discardableResult
    public func download(
        _ request: DownloadRequest,
        completion: @escaping @Sendable (Result<URL, DownloadError>) -> Void
    ) -> Download {
        download(request, progress: nil, completion: completion)
    }

    /// Enqueues many URLs, and returns their downloads in the same order. A URL that occurs twice has one download.
    ///
    /// For more URLs than fit into memory use `files(of:)` or `results(of:)`.
    @discardableResult
    public func download(_ urls: some Sequence<URL>) -> [Download] {
        download(urls.map { DownloadRequest($0) }, observer: nil)
    }

    /// Enqueues many requests, and returns their downloads in the same order. Equal requests for one URL have one
    /// download; see ``download(_:progress:completion:)-(DownloadRequest,_,_)``.
    ///
    /// For more requests than fit into memory use `files(of:)` or `results(of:)`.
    @discardableResult
    public func download(_ requests: some Sequence<DownloadRequest>) -> [Download] {
        download(Array(requests), observer: nil)
    }

    /// Enqueues many requests like ``download(_:)-(Sequence<DownloadRequest>)``, and calls a closure with each end.
    ///
    /// - Parameters:
    ///   - requests: what to download, and how.
    ///   - completion: called on the callback queue, once for each request, with its download and the result.
    /// - Returns: the downloads, in the same order.
    @discardableResult
    public func download(
        _ requests: some Sequence<DownloadRequest>,
        completion: @escaping @Sendable (Download, Result<URL, DownloadError>) -> Void
    ) -> [Download] {
        download(Array(requests), observer: QueueObserver(on: configuration.callbackQueue, ended: completion))
    }

    private func download(_ requests: [DownloadRequest], observer: QueueObserver?) -> [Download] {
        let count = requests.count
        let enqueueing = Enqueueing(manager: self, expecting: max(2, count))
        feed.announce(count)
        defer {
            feed.announce(-count)
            enqueueing.finish()
        }
        return observers.batch { requests.map { enqueueing.enqueue($0, observer: observer) } }
    }

    /// The download of this URL that waits, runs or is paused; `nil` if there is none.
    public subscript(url: URL) -> Download? {
        guard let key = try? HTTPURL(url.absoluteString), let download = table.withLock({ $0.download(key) }) else {
            return nil
        }
        return download.hasEnded ? nil : download
    }

    /// All downloads that wait, run or are paused, in the order of enqueueing.
    public var downloads: [Download] {
        table.withLock { $0.downloads }.filter { !$0.hasEnded }
    }

    /// Returns when nothing is queued, running or waiting for a retry, including downloads enqueued meanwhile. Does not
    /// wait for paused downloads.
    ///
    /// Cancelling the waiting task ends the wait and does not affect the downloads.
    public func waitUntilIdle() async {
        while true {
            let busy = downloads.filter(\.isBusy)
            if busy.isEmpty { return }
            // The last first: when it has ended, most others have too, and need no stream of events.
            for download in busy.reversed() where download.isBusy {
                for await _ in download.events(isUse: false) where !download.isBusy { break }
                if Task.isCancelled { return }
            }
        }
    }

    /// Pauses the download of this URL, if there is one. See ``Download/pause()``.
    public func pause(_ url: URL) { self[url]?.pause() }
    /// Pauses all downloads, including waiting ones. Downloads that are enqueued later run.
    public func pauseAll() { for download in downloads.reversed() { download.pause() } }

    /// Resumes the download of this URL if it is paused, or retries it now. See ``Download/resume()``.
    public func resume(_ url: URL) { self[url]?.resume() }
    /// Resumes all paused downloads, and lets downloads that wait for a retry or for their host try now.
    public func resumeAll() { for download in downloads { download.resume() } }

    /// Ends the download of this URL, if there is one, and keeps its partial file. See ``Download/cancel()``.
    public func cancel(_ url: URL) { self[url]?.cancel() }
    /// Ends all downloads and keeps their partial files.
    public func cancelAll() {
        for download in downloads.reversed() { download.handle(.cancel) }
        journal?.write()
    }
}
