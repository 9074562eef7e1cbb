import Dispatch
import Foundation
import Spate

/// Fetches all that was ordered, tells the display, and counts what became of it.
actor DownloadRun {
    private struct Active {
        let number: Int
        let order: DownloadOrder
        let download: Download
    }

    /// How many downloads the manager knows at once. It could take them all, but each that is watched costs a task,
    /// and a list may have a million lines.
    private let window: Int
    private let orders: [DownloadOrder]
    private let arguments: Arguments
    private let manager: DownloadManager
    private let display: any Display

    private var begun = 0
    private var active: [Int: Active] = [:]
    private var known: Set<ObjectIdentifier> = []
    private var failures = 0
    private var stopped: [DownloadOrder] = []
    private var stopReason: StopReason?
    /// Whether an attempt that was stopped may still write to its file.
    private var isLettingGo = false
    private var exitCode: Int32?

    private let executor: QueueExecutor
    private let endings = OperationQueue()
    private let done = DispatchSemaphore(value: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(orders: [DownloadOrder], arguments: Arguments, display: sending any Display) {
        self.orders = orders
        self.arguments = arguments
        self.display = display
        window = max(1000, 4 * arguments.jobs)
        executor = QueueExecutor(label: "spate.run")
        manager = arguments.manager(callbacksOn: executor.queue)
    }

    /// Fetches everything, and returns the code to exit with. Call it once, from a thread that may wait.
    nonisolated func finish() -> Int32 {
        executor.queue.async {
            self.assumeIsolated { $0.feed() }
        }
        done.wait()
        return executor.queue.sync { self.assumeIsolated { $0.exitCode ?? 1 } }
    }

    /// Ends the downloads that are under way, keeps what they received, and begins no others.
    nonisolated func stop(_ reason: StopReason) {
        executor.queue.async {
            self.assumeIsolated { $0.beginStop(reason) }
        }
    }

    private func feed() {
        while stopReason == nil, active.count < window, begun < orders.count {
            begin(orders[begun], number: begun)
            begun += 1
        }
        endWhenAllEnded()
    }

    private func begin(_ order: DownloadOrder, number: Int) {
        let request = arguments.request(for: order)
        guard display.wantsAllEvents else {
            let completion = { @Sendable (result: Result<URL, DownloadError>) in
                self.assumeIsolated { $0.receive(.state(DownloadState(result)), from: number) }
            }
            let download = manager.download(request, completion: completion)
            _ = add(Active(number: number, order: order, download: download))
            return
        }
        let download = manager.download(request)
        guard add(Active(number: number, order: order, download: download)) else { return }
        Task {
            for await event in download.events {
                receive(event, from: number)
            }
        }
    }

    /// - Returns: `false` when the library takes the URL for one that is under way: it then counts once.
    private func add(_ entry: Active) -> Bool {
        guard known.insert(ObjectIdentifier(entry.download)).inserted else { return false }
        active[entry.number] = entry
        return true
    }

    private func receive(_ event: DownloadEvent, from number: Int) {
        guard let entry = active[number] else { return }
        let progress = entry.download.progress
        let shown = ShownDownload(number: number, order: entry.order, progress: progress)
        display.show(event, of: shown)
        if case .state(let state) = event, state.isEnd {
            active[number] = nil
            known.remove(ObjectIdentifier(entry.download))
            end(entry, state, shown)
        }
        if display.isClosed { beginStop(.outputClosed) }
    }

    private func end(_ entry: Active, _ state: DownloadState, _ shown: ShownDownload) {
        switch state {
        case .cancelled where stopReason != nil:
            stopped.append(entry.order)
        case .failed(let error):
            failures += 1
            display.say("spate: \(shown.url): \(Address.oneLine(error.message))")
        case .finished: break
        default:
            failures += 1
            display.say("spate: \(shown.url): The download was cancelled.")
        }
        if !arguments.isQuiet {
            for remark in entry.download.remarks where remark.matters(after: state) {
                display.say("spate: note: \(shown.url): \(Address.oneLine(remark.description))")
            }
        }
        feed()
    }

    private func endWhenAllEnded() {
        guard active.isEmpty, !isLettingGo, stopReason != nil || begun == orders.count else { return }
        complete()
    }

    private func beginStop(_ reason: StopReason) {
        guard stopReason == nil, exitCode == nil else { return }
        stopReason = reason
        // A download ends at once when it is cancelled; its attempt still writes what it holds.
        let letGo = BlockOperation { [executor] in
            executor.queue.async { self.assumeIsolated { $0.hasLetGo() } }
        }
        for entry in active.values {
            if let operation = entry.download.operation, operation.isExecuting { letGo.addDependency(operation) }
        }
        isLettingGo = true
        manager.cancelAll()
        endings.addOperation(letGo)
        // What a stuck disk holds up must not hold up the end: what is in the files stays there.
        executor.queue.asyncAfter(deadline: .now() + .seconds(5)) {
            self.assumeIsolated { $0.complete() }
        }
    }

    private func hasLetGo() {
        isLettingGo = false
        endWhenAllEnded()
    }

    private func complete() {
        guard exitCode == nil else { return }
        exitCode = stopReason?.exitCode ?? (failures > 0 ? 1 : 0)
        if let stopReason, stopReason != .outputClosed, !arguments.isQuiet {
            farewell.lines.forEach(display.say)
        }
        done.signal()
    }

    private var farewell: Farewell {
        let keys = Set(stopped.map(\.address.key))
        let stored = (try? manager.storedDownloads()) ?? []
        let kept = stored.filter { stored in
            !stored.isFinished && stored.receivedBytes > 0 && keys.contains(Address(stored: stored.url).key)
        }
        return Farewell(
            kept: kept.map { stored in
                Farewell.Partial(
                    name: Address.oneLine(stored.file.lastPathComponent),
                    received: stored.receivedBytes,
                    total: stored.totalBytes
                )
            },
            notBegun: max(0, orders.count - begun + stopped.count - kept.count),
            hadCredentials: stopped.contains { $0.address.hasCredentials },
            arguments: arguments
        )
    }
}
