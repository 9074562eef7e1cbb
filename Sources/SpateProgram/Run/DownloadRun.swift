import Dispatch
import Foundation
import Spate
import SpateConsole

/// Fetches all items, shows them on the display, and counts failures.
actor DownloadRun: QueueActor {
    /// The most downloads in the manager and in its stored queue, far more than may run at once. A list may have a
    /// million lines.
    private static let window = 10_000
    /// The number of items to read and enqueue together, with one write of the stored queue.
    private static let portion = 500
    let arguments: Arguments
    private(set) lazy var manager = arguments.manager(
        cookies: files.cookies,
        callbacksOn: executor.queue,
        keepsQueue: !arguments.writesContent,
        noting: concurrencyNote,
        preparing: refreshCommand?.prepare
    )
    let display: any Display

    /// Items that have been read but not enqueued.
    private var items: ArraySlice<DownloadItem>
    /// The part of the list that has not been read yet; `nil` if all was.
    private var rest: URLListReader?
    private var readsRest = false
    /// What to say about the list before anything is fetched.
    private var toSay: (faults: [String], unused: UnusedOptions)
    let files: OptionFiles
    private let template: RequestTemplate

    var phase = RunPhase.running
    /// Whether the first downloads are known here.
    private var hasBegun = false
    /// Why the run is to stop once it has begun, or soon.
    private var earlyStop: StopReason?
    private var startedCount = 0
    /// The downloads that have not ended.
    private(set) var active: [Download.ID: Download] = [:]
    /// What the display shows of them, if it shows events.
    private(set) var shown: [Download.ID: ShownDownload] = [:]
    /// Those whose URL in the list has a user or password.
    private var withCredentials: Set<Download.ID> = []
    private var failures = FailureCounts()
    /// Whether a download has failed, and not only a line of a list.
    private var hasStoredFailure = false
    /// Whether one of them had a secret in the list, which is not stored.
    private var failedWithSecrets = false
    private var hasCancelled = false
    /// The most notes with a line each. A server that states no lengths has one for each of a million files.
    private static let mostNotes = 100
    private var noteCount = 0
    /// Those that the user has deleted with a key.
    var deleted: Set<Download.ID> = []
    /// The number of finished files without a line in the checksum lists. Counted only for the notice at the end.
    private var uncheckedCount = 0
    private var warnsOfUnchecked: Bool { !arguments.checksumLists.isEmpty && !arguments.isQuiet }
    /// The file of `--failed`.
    private let failed: FailedFile?
    private var stopped: [(download: Download, hasCredentials: Bool)] = []
    /// Whether to continue the folder's unfinished downloads first.
    private let restores: Bool
    /// Drives the live display.
    var timer: LiveTimer?
    /// The programs that run for this one.
    let programs: RunningPrograms
    var hooks: HookQueue
    /// Ends the running hook.
    let hookStop = StopFlag()
    /// Whether only hooks are left to run.
    var awaitsHooks = false
    /// Whether to observe all events, not only the ends.
    private let observesEvents: Bool

    nonisolated let executor: QueueExecutor
    private lazy var stopQueue = OperationQueue()
    private let done = DispatchSemaphore(value: 0)

    init(
        _ prepared: GetCommand.Prepared,
        display: sending any Display,
        failed: sending FailedFile? = nil,
        _ programs: RunningPrograms
    ) {
        (self.failed, self.programs) = (failed, programs)
        files = prepared.files
        items = prepared.items[...]
        arguments = prepared.arguments
        template = RequestTemplate(arguments, files)
        let hooks = HookQueue(prepared.files.programs)
        (self.hooks, observesEvents) = (hooks, display.showsEvents || hooks.isUsed)
        self.display = display
        restores = prepared.restores
        toSay = (prepared.faults, prepared.unused)
        rest = prepared.rest.map { URLListReader($0) }
        executor = QueueExecutor(label: "spate.run")
    }

    /// Fetches everything and returns the exit code. Blocks: call it once, from a thread that may block.
    nonisolated func finish() -> Int32 {
        soon {
            $0.startLive()
            $0.say($0.toSay.faults, $0.toSay.unused)
            $0.toSay.faults = []
            $0.begin()
        }
        done.wait()
        return now { $0.phase.exitCode ?? 1 }
    }

    /// Stops all downloads, keeps their partial files and the queue, and starts no others.
    nonisolated func stop(_ reason: StopReason) { soon { $0.stop(for: reason) } }

    private lazy var events = manager.events
    private lazy var retries = manager.retries
    private lazy var ends = manager.ends

    /// Enqueues the folder's unfinished downloads and the first item, on another queue: the library may read a large
    /// folder for them, and a stop must not wait for that. Then the folder is known, and the other items are enqueued
    /// here, so that none begins beside a stop.
    private func begin() {
        // Create the streams before the first download, so that they miss nothing.
        if observesEvents {
            _ = events
        } else {
            if display.showsRetries { _ = retries }
            _ = ends
        }
        let (manager, first, known) = (manager, items.prefix(1), arguments.isQuiet ? [] : items)
        items.removeFirst(first.count)
        DispatchQueue.global().async { [self] in
            let unknown = UnknownFiles(of: known.lazy.map(template.request), in: manager).names
            if !unknown.isEmpty { now { $0.display.say(Notice.unknownFiles(unknown).text) } }
            let restored = restores ? RestoredDownloads(by: manager, arguments, files) : nil
            let downloads = enqueue(first, by: manager)
            soon { $0.began(restored, zip(first, downloads)) }
        }
    }

    private func began(_ restored: RestoredDownloads?, _ first: Zip2Sequence<ArraySlice<DownloadItem>, [Download]>) {
        guard phase.isGoingOn else { return manager.pauseAll() }
        for download in restored?.downloads ?? [] { enter(download, DownloadItem(restored: download)) }
        if let failure = restored?.failure {
            failures.note(failure)
            display.say(Notice.failure(failure.message).text, as: .failure)
        }
        for (item, download) in first { enter(download, item) }
        hasBegun = true
        listen()
        // A key may have paused all meanwhile.
        if phase == .held { manager.pauseAll() }
        startNext()
        // The items are in the queue by now, so that a later run continues with them.
        if let earlyStop { stop(for: earlyStop) }
    }

    /// Observes all events, or only the ends if nothing needs events, which costs less.
    private func listen() {
        if observesEvents {
            Task {
                for await (download, event) in events { note(event, of: download) }
            }
        } else {
            if display.showsRetries { listenToRetries() }
            Task {
                for await ended in ends {
                    for download in ended { end(download, download.error) }
                    startNext()
                }
            }
        }
    }

    private func listenToRetries() {
        Task {
            for await (download, date, error) in retries {
                guard phase.exitCode == nil, active[download.id] != nil else { continue }
                let name = DownloadItem(stored: download.request).name
                let shown = ShownDownload(number: 0, url: download.url.shown, name: name, download: download)
                display.show(.state(.waiting(.retry(at: date, after: error))), of: shown)
            }
        }
    }

    func startNext() {
        guard hasBegun else { return }
        let room = Self.window - active.count
        if phase == .running, !items.isEmpty, !hooks.isFull, room >= min(items.count, Self.portion) {
            let batch = items.prefix(room)
            items.removeFirst(batch.count)
            for (item, download) in zip(batch, enqueue(batch, by: manager)) { enter(download, item) }
        }
        readMore()
        display.expect(items.count, after: startedCount, listHasMore: rest != nil)
        completeIfDone()
    }

    /// Reads more of the list before the items run out.
    private func readMore() {
        guard phase.isGoingOn, items.count < Self.portion, !readsRest, let reader = rest else { return }
        readsRest = true
        Task {
            let batch = await reader.next(Self.portion)
            readsRest = false
            if batch.isLast { rest = nil }
            if items.isEmpty { items = batch.items[...] } else { items += batch.items }
            say(batch.faults, batch.unused)
            startNext()
        }
    }

    /// Counts and names invalid lines, and what of a list is not used.
    private func say(_ faults: [String], _ unused: UnusedOptions) {
        for fault in faults {
            failures.noteInvalidLine()
            display.say(Notice.failure(fault).text, as: .failure)
        }
        if !unused.isEmpty, !arguments.isQuiet { display.say(Notice.unusedOptions(unused).text) }
    }

    nonisolated private func enqueue(_ items: ArraySlice<DownloadItem>, by manager: DownloadManager) -> [Download] {
        // An array costs less than a lazy sequence, which the library would read through its generic code.
        let requests = items.map(template.request)
        guard arguments.command == .repair else { return manager.download(requests) }
        let source = arguments.repairSource.map { URL(fileURLWithPath: $0).absoluteURL }
        return requests.map { manager.repair($0, from: source) }
    }

    private func enter(_ download: Download, _ item: DownloadItem) {
        // Two lines for one file share a download.
        guard active.updateValue(download, forKey: download.id) == nil else { return }
        if item.source.hasCredentials { withCredentials.insert(download.id) }
        failed?.note(item, as: download)
        if observesEvents {
            let number = startedCount
            shown[download.id] =
                ShownDownload(number: number, url: item.source.shown, name: item.name, download: download)
        }
        startedCount += 1
    }

    private func note(_ event: DownloadEvent, of download: Download) {
        guard phase.exitCode == nil, active[download.id] != nil else { return }
        if var shown = shown[download.id] {
            shown.progress = download.progress
            shown.update = download.update
            if case .state(.finished) = event { shown.remarks = download.remarks }
            display.show(event, of: shown)
            if case .state(let state) = event { hooks.note(state, of: shown) }
        }
        // First: the end of the last download ends the run.
        if let code = display.outputError { stop(for: StopReason(outputError: code)) }
        if case .state(let state) = event, state.isTerminal {
            // When the run ends, paused ones count as cancelled.
            end(download, state.isCancelled ? DownloadError(.cancelled, "") : download.error)
            runNextHook()
            startNext()
        }
    }

    /// What the manager calls when another number of downloads may run at once.
    private var concurrencyNote: (@Sendable (ConcurrencyChange) -> Void)? {
        guard display.showsEvents else { return nil }
        return { [weak self] change in self?.assumeIsolated { $0.note(change) } }
    }

    private func note(_ change: ConcurrencyChange) {
        guard phase.exitCode == nil else { return }
        display.show(change)
        if let code = display.outputError { stop(for: StopReason(outputError: code)) }
    }

    /// - Parameter error: why it has no file; `nil` if it is finished. Its state has the URL of the file, which would be
    ///   made for each.
    private func end(_ download: Download, _ error: DownloadError?) {
        guard phase.exitCode == nil, active.removeValue(forKey: download.id) != nil else { return }
        if observesEvents { shown[download.id] = nil }
        let hasCredentials = !withCredentials.isEmpty && withCredentials.remove(download.id) != nil
        let hasFailed = error.map { $0.code != .cancelled } ?? false
        if let notice = failed?.end(download.id, failed: hasFailed) { display.say(notice.text) }
        switch error {
        case nil: if warnsOfUnchecked, download.request.checksum == nil { noteUnchecked(download) }
        case let error? where hasFailed:
            failures.note(error)
            hasStoredFailure = true
            failedWithSecrets = failedWithSecrets || hasCredentials || !download.request.headers.isEmpty
            display.say(Notice.failure(error.message, of: download.url.shown).text, as: .failure)
        case _ where phase.stopReason != nil: stopped.append((download, hasCredentials))
        default:
            hasCancelled = true
            let isDeleted = deleted.remove(download.id) != nil
            display.say((isDeleted ? Notice.deleted : Notice.cancelled)(download.url.shown).text)
        }
        if !arguments.isQuiet { sayRemarks(about: download) }
    }

    private func sayRemarks(about download: Download) {
        let remarks = download.remarks
        if remarks.isEmpty { return }
        let state = download.state
        for remark in remarks where remark.matters(after: state) { say(.remark(remark, about: download, state)) }
    }

    private func noteUnchecked(_ download: Download) {
        if template.listed(download.request).isContradictory {
            say(.contradictingLines(download.url.shown, lists: arguments.checksumLists))
        } else {
            uncheckedCount += 1
        }
    }

    /// Says a note, unless there were too many.
    private func say(_ note: @autoclosure () -> Notice) {
        noteCount += 1
        if arguments.isVerbose || noteCount <= Self.mostNotes { display.say(note().text) }
    }

    private func completeIfDone() {
        let isFetched =
            switch phase {
            case .running, .held: active.isEmpty && items.isEmpty && rest == nil
            case .stopping, .over: false
            case .stopped: active.isEmpty
            }
        guard isFetched else { return }
        if hooks.isIdle { complete() } else { awaitHooks() }
    }

    func stop(for reason: StopReason) {
        guard phase.isGoingOn else { return }
        guard hasBegun || earlyStop != nil else {
            earlyStop = reason
            return soon(after: .milliseconds(300)) { $0.stop(for: reason) }
        }
        phase = .stopping(reason)
        if let notice = reason.notice { display.say(notice.text, as: .failure) }
        stopHooks()
        // A paused download stops at once, but its attempt still writes received bytes.
        let attemptsEnd = BlockOperation { self.soon { $0.attemptsEnded() } }
        for download in active.values {
            if let operation = download.operation, operation.isExecuting { attemptsEnd.addDependency(operation) }
        }
        // Pause, don't cancel: a cancelled download leaves the queue, so `spate resume` could not continue it.
        manager.pauseAll()
        // The display shows them as cancelled. A download whose file has its final name is not paused: it finishes.
        for download in manager.downloads {
            if case .paused = download.state { note(.state(.cancelled), of: download) }
        }
        stopQueue.addOperation(attemptsEnd)
        // Don't wait longer for a stuck disk. Written bytes stay in the files.
        soon(after: .seconds(5)) { $0.complete() }
    }

    private func attemptsEnded() {
        guard case .stopping(let reason) = phase else { return }
        phase = .stopped(reason)
        completeIfDone()
    }

    private func complete() {
        guard phase.exitCode == nil else { return }
        endLive()
        if let notice = failed?.finish() { display.say(notice.text) }
        if hooks.failedCount > 0 { display.say(Notice.hooksFailed(hooks.failedCount).text) }
        if uncheckedCount > 0 {
            display.say(Notice.unchecked(uncheckedCount, lists: arguments.checksumLists).text)
        }
        if !arguments.isVerbose, noteCount > Self.mostNotes {
            display.say(Notice.moreNotes(noteCount - Self.mostNotes).text)
        }
        let stopReason = phase.stopReason
        phase = .over(exitCode: stopReason?.exitCode ?? (hasCancelled || !failures.isEmpty ? 1 : 0))
        display.finish(failures, cure: stopReason == nil ? cure : nil)
        if !display.hasSummary, failures.count > 1, !arguments.isQuiet {
            display.say(Notice.failures(failures, cure: stopReason == nil ? cure : nil).text)
        }
        if let stopReason, stopReason != .outputClosed, !arguments.isQuiet {
            stopSummary.lines.forEach { display.say($0) }
        }
        done.signal()
    }

    /// What tries the failed downloads again; `nil` if nothing would.
    private var cure: String? {
        guard hasStoredFailure, [.get, .resume].contains(arguments.command) else { return nil }
        if failedWithSecrets || manager.queueFailure != nil { return StopSummary.sameCommand }
        return arguments.resumeAdvice
    }

    private var stopSummary: StopSummary {
        let downloads = stopped.map(\.download)
        let kept = downloads.compactMap { StopSummary.Partial(of: $0) }
        return StopSummary(
            kept: kept,
            notStarted: max(0, stopped.count - kept.count),
            listHasMore: !items.isEmpty || rest != nil || !hasBegun,
            hadCredentials: stopped.contains(where: \.hasCredentials),
            hadHeaders: downloads.contains { !$0.request.headers.isEmpty },
            isQueueKept: manager.queueFailure == nil,
            arguments: arguments
        )
    }
}
