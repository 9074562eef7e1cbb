import Dispatch
import Foundation
import Spate

/// Fetches all items, shows them on the display, and counts failures.
actor DownloadRun {
    struct Active {
        let number: Int
        let item: DownloadItem
        let hasChecksum: Bool
        let download: Download
    }

    /// How many downloads the manager gets at once, and keeps for `spate resume`. A list may have a million lines.
    private let window: Int
    /// How many are read and enqueued together: that is one write of the queue.
    private static let portion = 500
    let arguments: Arguments
    let manager: DownloadManager
    let display: any Display

    /// The next items, as far as the list has been read.
    private var items: ArraySlice<DownloadItem>
    /// Reads the rest of the list. `nil` at its end.
    private var reader: URLListReader?
    private var isReading = false
    let files: OptionFiles

    private var startedCount = 0
    private(set) var active = EntryTable<Active>()
    /// Indices in `active`.
    private var indices: [ObjectIdentifier: Int] = [:]
    private var failures = 0
    /// Finished files that no list of checksums names.
    private var uncheckedCount = 0
    private var stopped: [DownloadItem] = []
    /// Whether the run begins with what the folder has left to do.
    private let restores: Bool
    private(set) var stopReason: StopReason?
    /// Whether all are paused. Then no new downloads start either.
    var holdsAllPaused = false
    /// While there are downloads whose ends are not told.
    private var endWatch: EndWatch?
    private var awaitsIdleness = false
    /// Drives the live display.
    var timer: LiveTimer?
    /// Whether stopped attempts may still write to their files.
    private var awaitsAttempts = false
    private var exitCode: Int32?

    let executor: QueueExecutor
    private lazy var stopQueue = OperationQueue()
    private let done = DispatchSemaphore(value: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - rest: the rest of the list, read and fetched after the items.
    ///   - restores: whether to begin with what the folder has left to do.
    init(
        items: [DownloadItem],
        then rest: URLList?,
        restores: Bool = false,
        files: OptionFiles,
        arguments: Arguments,
        display: sending any Display
    ) {
        self.files = files
        self.items = items[...]
        self.arguments = arguments
        self.display = display
        self.restores = restores
        reader = rest.map { URLListReader($0) }
        window = max(10_000, 4 * arguments.jobs)
        executor = QueueExecutor(label: "spate.run")
        manager = arguments.manager(cookies: files.cookies, callbacksOn: executor.queue, keepsQueue: true)
    }

    /// Fetches everything and returns the exit code. It blocks: call it once, from a thread that may block.
    nonisolated func finish() -> Int32 {
        executor.queue.async {
            self.assumeIsolated {
                $0.startLive()
                if $0.hearsEvents { $0.listen(to: $0.manager.events) }
                if $0.restores { $0.restore() }
                $0.startNext()
            }
        }
        done.wait()
        return executor.queue.sync { self.assumeIsolated { $0.exitCode ?? 1 } }
    }

    /// Stops all downloads, keeps their partial files and the queue, and starts no others.
    nonisolated func stop(_ reason: StopReason) {
        executor.queue.async {
            self.assumeIsolated { $0.stop(for: reason) }
        }
    }

    /// One stream for all downloads: a task and a stream for each would cost more than a small file.
    private func listen(to events: AsyncStream<(download: Download, event: DownloadEvent)>) {
        Task {
            for await (download, event) in events {
                if let index = indices[download.id] { show(event, at: index) }
            }
        }
    }

    func startNext() {
        let room = window - active.count
        if stopReason == nil, !holdsAllPaused, !items.isEmpty, room >= min(items.count, Self.portion) {
            start(items.prefix(room))
            items.removeFirst(min(items.count, room))
        }
        readMore()
        display.expect(items.count, listHasMore: reader != nil)
        completeIfDone()
    }

    /// Reads more of the list before the items run out.
    private func readMore() {
        guard stopReason == nil, !isReading, items.count < Self.portion, let reader else { return }
        isReading = true
        Task {
            append(await reader.next(Self.portion))
        }
    }

    private func append(_ batch: URLListReader.Batch) {
        isReading = false
        if batch.isLast { reader = nil }
        items += batch.items
        for fault in batch.faults { fail(.failure(fault)) }
        startNext()
    }

    /// Enqueues what the folder has left to do.
    private func restore() {
        for download in manager.restore({ arguments.complete(&$0, files) }) {
            enter(download, DownloadItem(stored: download.request))
        }
    }

    private func start(_ items: ArraySlice<DownloadItem>) {
        let requests = items.lazy.map { [arguments, files] in arguments.request(for: $0, files) }
        for (item, download) in zip(items, manager.download(requests)) { enter(download, item) }
        if !hearsEvents { watchEnds() }
    }

    private func enter(_ download: Download, _ item: DownloadItem) {
        // Two lines for one file have one download.
        guard indices[download.id] == nil else { return }
        let index = active.reserve()
        indices[download.id] = index
        active[index] = Active(
            number: startedCount,
            item: item,
            hasChecksum: download.request.checksum != nil,
            download: download
        )
        startedCount += 1
    }

    /// Whether it is told of each event. If not, it looks for ends now and then.
    private var hearsEvents: Bool { display.showsEvents || restores }

    private func watchEnds() {
        endWatch = endWatch ?? EndWatch(on: executor.queue) { self.assumeIsolated { $0.lookForEnds() } }
        guard !awaitsIdleness else { return }
        awaitsIdleness = true
        Task {
            await manager.waitUntilIdle()
            awaitsIdleness = false
            lookForEnds()
        }
    }

    private func lookForEnds() {
        for index in active.indices {
            if let result = active[index]?.download.result { end(index, DownloadState(result)) }
        }
    }

    private func show(_ event: DownloadEvent, at index: Int) {
        guard let entry = active[index] else { return }
        let progress = entry.download.progress
        if display.showsEvents {
            display.show(
                event,
                of: ShownDownload(
                    number: entry.number,
                    item: entry.item,
                    progress: progress,
                    download: entry.download,
                    update: entry.download.update,
                    waitsForHost: entry.download.waitsForHost
                )
            )
        }
        if case .state(let state) = event, state.isTerminal { end(index, state) }
        if display.isClosed { stop(for: .outputClosed) }
    }

    private func end(_ index: Int, _ state: DownloadState) {
        guard let entry = active.remove(at: index) else { return }
        indices[entry.download.id] = nil
        let source = entry.item.source
        switch state {
        case .finished: if !entry.hasChecksum { uncheckedCount += 1 }
        case .cancelled where stopReason != nil: stopped.append(entry.item)
        case .failed(let error): fail(.failure(error.message, of: source.shown))
        default: fail(.cancelled(source.shown))
        }
        if !arguments.isQuiet {
            for remark in entry.download.remarks where remark.matters(after: state) {
                display.say(Notice.remark(source.shown, remark.description).text)
            }
            if case .finished(let file) = state, entry.item.fileName == nil,
                let wanted = AvoidedName.of(file, from: source)
            {
                display.say(Notice.otherName(source.shown, saved: file.lastPathComponent, wanted: wanted).text)
            }
        }
        startNext()
    }

    private func fail(_ notice: Notice) {
        failures += 1
        display.say(notice.text)
    }

    private func completeIfDone() {
        guard active.count == 0, !awaitsAttempts, stopReason != nil || (items.isEmpty && reader == nil) else { return }
        complete()
    }

    func stop(for reason: StopReason) {
        guard stopReason == nil, exitCode == nil else { return }
        stopReason = reason
        // A paused download stops at once, but its attempt still writes what it has received.
        let attemptsEnd = BlockOperation { [executor] in
            executor.queue.async { self.assumeIsolated { $0.attemptsEnded() } }
        }
        for entry in active.all {
            if let operation = entry.download.operation, operation.isExecuting { attemptsEnd.addDependency(operation) }
        }
        awaitsAttempts = true
        // Not cancelled: what has ended is no longer in the queue that `spate resume` goes on with.
        manager.pauseAll()
        for index in active.indices { endPaused(at: index) }
        stopQueue.addOperation(attemptsEnd)
        // Don't wait longer for a stuck disk. What was written stays in the files.
        executor.queue.asyncAfter(deadline: .now() + .seconds(5)) {
            self.assumeIsolated { $0.complete() }
        }
    }

    /// Ends a paused download for the display, to which it is cancelled. One whose file has its final name is about to
    /// finish.
    private func endPaused(at index: Int) {
        guard let entry = active[index], case .paused = entry.download.state else { return }
        if display.showsEvents {
            show(.state(.cancelled), at: index)
        } else {
            end(index, .cancelled)
        }
    }

    private func attemptsEnded() {
        awaitsAttempts = false
        completeIfDone()
    }

    private func complete() {
        guard exitCode == nil else { return }
        endLive()
        endWatch = nil
        if uncheckedCount > 0, !arguments.checksumLists.isEmpty, !arguments.isQuiet {
            display.say(Notice.unchecked(uncheckedCount, lists: arguments.checksumLists).text)
        }
        exitCode = stopReason?.exitCode ?? (failures > 0 ? 1 : 0)
        display.finish()
        if let stopReason, stopReason != .outputClosed, !arguments.isQuiet {
            stopSummary.lines.forEach(display.say)
        }
        done.signal()
    }

    private var stopSummary: StopSummary {
        let keys = Set(stopped.map(\.source.key))
        let otherFolders = Set(stopped.compactMap(\.folder))
        let managers = [manager] + otherFolders.sorted { $0.path < $1.path }.map { arguments.manager(in: $0) }
        let stored = managers.flatMap { (try? $0.storedDownloads()) ?? [] }
        let kept = stored.filter { stored in
            !stored.isFinished && stored.receivedBytes > 0 && keys.contains(DownloadURL(stored: stored.url).key)
        }
        return StopSummary(
            kept: kept.map { stored in
                StopSummary.Partial(
                    name: PlainText.oneLine(stored.file.lastPathComponent),
                    received: stored.receivedBytes,
                    total: stored.totalBytes
                )
            },
            notStarted: max(0, stopped.count - kept.count),
            listHasMore: !items.isEmpty || reader != nil,
            hadCredentials: stopped.contains { $0.source.hasCredentials },
            hadHeaders: stopped.contains { !$0.headers.isEmpty },
            isQueueKept: manager.queueFailure == nil,
            arguments: arguments
        )
    }
}
