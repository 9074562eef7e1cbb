import Foundation
import SpateLocking
import SpateTiming

/// The downloads of one loop over results. Enqueues a window of them at a time, and keeps the results until they are
/// read.
///
/// One task feeds it, for any number of URLs, and not on the reader's actor, because enqueueing reads the disk.
final class Batch: Sendable {
    typealias Element = BatchQueue.Element
    /// Enqueues the requests in turn while there is room.
    typealias Feed = @Sendable (Batch) async throws -> Void

    private struct Content: MailboxContent {
        var queue = BatchQueue()
        var feeder: CheckedContinuation<Bool, Never>?
        var feeding: Task<Void, Never>?
        var isBegun = false

        // The reader continues when nothing of the loop is left.
        var isReadable: Bool { queue.hasResult || queue.end != nil && !queue.isWithdrawing }

        mutating func popFirst() -> Element? { queue.popFirst() }
    }

    private let manager: DownloadManager
    private let feed: Feed
    private let mailbox = Mailbox<Content>()

    init(manager: DownloadManager, feed: @escaping Feed) {
        self.manager = manager
        self.feed = feed
    }

    /// The batch of one loop, which ends with the loop.
    static func subscription(manager: DownloadManager, feed: @escaping Feed) -> Subscription<Batch> {
        Subscription(Batch(manager: manager, feed: feed)) { $0.end(early: .abandoned) }
    }

    private var runtime: Runtime { manager.surroundings.runtime }

    var end: BatchQueue.End? { mailbox.withLock { $0.queue.end } }

    // MARK: The reader

    /// The next result; `nil` after the last, or if the reading task is cancelled, which ends the batch.
    func next() async -> Element? {
        if !Task.isCancelled { begin() }
        let element = await mailbox.next {
            self.runtime.cancellations.async { self.end(early: .abandoned) }
        }
        // A read result makes room for another.
        perform { _ in }
        return element
    }

    private func begin() {
        let begins = mailbox.withLock { content in
            defer { content.isBegun = true }
            return !content.isBegun && content.queue.end == nil
        }
        guard begins else { return }
        let feeding = Task(executorPreference: runtime.executor) { [self, feed] in
            manager.observers.beginBatch()
            defer { manager.observers.endBatch() }
            do {
                try await feed(self)
                manager.journal?.write()
                perform { $0.queue.endFeeding() }
            } catch {
                end(early: .sourceFailed(error))
            }
        }
        let isOver = mailbox.withLock { content in
            content.feeding = feeding
            return content.queue.end != nil
        }
        if isOver { feeding.cancel() }
    }

    /// Ends the batch now, and cancels the downloads that only it enqueued.
    func end(early reason: BatchQueue.End) {
        let (left, feeding) = mailbox.withLock { content in
            (content.queue.end(early: reason), content.feeding.take())
        }
        feeding?.cancel()
        guard let left else { return }
        withExtendedLifetime(left.unread) {}
        withdraw(left.abandoned)
        perform { $0.queue.endWithdrawing() }
    }

    /// Cancels the downloads that only it enqueued, the last first, so that the end of one does not start the next.
    private func withdraw(_ downloads: [Download]) {
        if downloads.isEmpty { return }
        for download in downloads.reversed() { download.withdraw() }
        // If the process is killed after this, they are not restored.
        manager.journal?.write()
    }

    // MARK: The feeder

    /// Waits for room for one more; false if no more are wanted.
    func hasRoom() async -> Bool {
        // Write the records of the downloads that were enqueued meanwhile.
        if mailbox.withLock({ !$0.queue.hasRoom(in: window) }) { manager.journal?.write() }
        return await withCheckedContinuation { continuation in
            perform { $0.feeder = continuation }
        }
    }

    func enqueue(_ request: DownloadRequest) {
        guard let number = mailbox.withLock({ $0.queue.beginEnqueueing() }) else { return }
        let download = Enqueueing(manager: manager).enqueue(request, isOneOfMany: true)
        guard mailbox.withLock({ $0.queue.add(download, number: number) }) else {
            withdraw([download])
            return perform { $0.queue.endEnqueueing() }
        }
        BatchMember(number, of: self, url: request.url).join(download)
    }

    fileprivate func note(number: Int, waitsForHost: () -> Bool) {
        perform { $0.queue.note(number: number, waitsForHost: waitsForHost()) }
    }

    fileprivate func ended(number: Int, _ element: Element) {
        perform { $0.queue.ended(number: number, element) }
    }

    // MARK: Both

    /// Enough to keep the slots busy while results are read, even with small files.
    private var window: Int { max(64, manager.maxConcurrentDownloads.saturatingTimes(4)) }

    /// Changes the state, and resumes the reader or the feeder if it can continue.
    private func perform(_ change: (inout Content) -> Void) {
        let window = window
        let (feeder, isOver) = mailbox.change { content in
            change(&content)
            let isOver = content.queue.end != nil
            let feeder = isOver || content.queue.hasRoom(in: window) ? content.feeder.take() : nil
            return (feeder, isOver)
        }
        feeder?.resume(returning: !isOver)
    }
}

/// The observer of a batch's download: notes when it waits for its host, goes on, and ends.
private final class BatchMember: DownloadObserver {
    private let number: Int
    private let url: URL
    private weak let batch: Batch?
    private let state = Locked((waitsForHost: false, hasNews: false, ended: Download?.none))

    init(_ number: Int, of batch: Batch, url: URL) {
        (self.number, self.batch, self.url) = (number, batch, url)
    }

    /// Begins with the present state.
    func join(_ download: Download) {
        download.present { present, _, observers in
            if wants(present) { note(.state(present), of: download) }
            if !present.isTerminal { observers.append(self) }
        }
        if let result = download.result { batch?.ended(number: number, (url, result)) } else { act() }
    }

    var wantsProgress: Bool { false }

    func wants(_ new: DownloadState) -> Bool { new == .waiting(.host) || state.withLock { $0.waitsForHost } }

    func note(_ event: DownloadEvent, of download: Download) {
        state.withLock { $0 = (event == .state(.waiting(.host)), true, $0.ended) }
    }

    func note(_ end: DownloadEnd, of download: Download) { state.withLock { $0 = (false, true, download) } }

    func act() {
        let (hasNews, ended) = state.withLock { state in
            defer { (state.hasNews, state.ended) = (false, nil) }
            return (state.hasNews, state.ended)
        }
        if let result = ended?.result {
            batch?.ended(number: number, (url, result))
        } else if hasNews {
            // Read again in the batch, so that the latest of two threads counts.
            batch?.note(number: number) { state.withLock { $0.waitsForHost } }
        }
    }
}
