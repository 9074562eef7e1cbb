import Dispatch
import Foundation
import Spate

/// Fetches all that was ordered, tells the display, and counts what became of it.
actor DownloadRun {
    struct Active {
        let number: Int
        let order: DownloadOrder
        let download: Download
    }

    /// How many downloads the manager knows at once. It could take them all, but each costs memory, and a list may
    /// have a million lines.
    private let window: Int
    private let arguments: Arguments
    let manager: DownloadManager
    let display: any Display

    /// What comes next, as far as the list has been read.
    private var orders: ArraySlice<DownloadOrder>
    /// Where the list goes on; `nil` when all of it has been read.
    private var reader: ListReader?
    private var isReading = false

    private var begun = 0
    private(set) var active = Places<Active>()
    /// Where those are that events tell of.
    private var places: [ObjectIdentifier: Int] = [:]
    private var failures = 0
    private var stopped: [DownloadOrder] = []
    private(set) var stopReason: StopReason?
    /// Whether all are paused, those that did not begin included.
    var isHoldingBack = false
    /// What keeps a live display going.
    var clock: LiveClock?
    /// Whether an attempt that was stopped may still write to its file.
    private var isLettingGo = false
    private var exitCode: Int32?

    let executor: QueueExecutor
    private lazy var endings = OperationQueue()
    private let done = DispatchSemaphore(value: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter rest: what is read and fetched after the orders.
    init(orders: [DownloadOrder], then rest: AddressList?, arguments: Arguments, display: sending any Display) {
        self.orders = orders[...]
        self.arguments = arguments
        self.display = display
        reader = rest.map { ListReader($0) }
        window = max(1000, 4 * arguments.jobs)
        executor = QueueExecutor(label: "spate.run")
        manager = arguments.manager(callbacksOn: executor.queue)
    }

    /// Fetches everything, and returns the code to exit with. Call it once, from a thread that may wait.
    nonisolated func finish() -> Int32 {
        executor.queue.async {
            self.assumeIsolated {
                $0.beginLive()
                if $0.display.showsEvents { $0.listen(to: $0.manager.events) }
                $0.feed()
            }
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

    /// One stream for all: a task and a stream for each download would cost more than a small file does.
    private func listen(to events: AsyncStream<(download: Download, event: DownloadEvent)>) {
        Task {
            for await (download, event) in events {
                if let place = places[download.id] { show(event, at: place) }
            }
        }
    }

    func feed() {
        while stopReason == nil, !isHoldingBack, active.count < window, let order = orders.popFirst() { begin(order) }
        readOn()
        display.expect(orders.count, listGoesOn: reader != nil)
        endWhenAllEnded()
    }

    /// Has the list read on before the orders run out.
    private func readOn() {
        guard stopReason == nil, !isReading, orders.count < window / 2, let reader else { return }
        isReading = true
        Task {
            take(await reader.next(window / 2))
        }
    }

    private func take(_ batch: ListReader.Batch) {
        isReading = false
        if batch.isLast { reader = nil }
        for address in batch.addresses { orders.append(DownloadOrder(address: address, fileName: arguments.output)) }
        for fault in batch.faults { fail(.failure(fault)) }
        feed()
    }

    private func begin(_ order: DownloadOrder) {
        let place = active.take()
        let request = arguments.request(for: order)
        let download: Download
        if display.showsEvents {
            download = manager.download(request)
            places[download.id] = place
        } else {
            download = manager.download(request) { result in
                self.assumeIsolated { $0.end(place, DownloadState(result)) }
            }
        }
        active[place] = Active(number: begun, order: order, download: download)
        begun += 1
    }

    private func show(_ event: DownloadEvent, at place: Int) {
        guard let entry = active[place] else { return }
        let progress = entry.download.progress
        display.show(
            event,
            of: ShownDownload(number: entry.number, order: entry.order, progress: progress, download: entry.download)
        )
        if case .state(let state) = event, state.isTerminal { end(place, state) }
        if display.isClosed { beginStop(.outputClosed) }
    }

    private func end(_ place: Int, _ state: DownloadState) {
        guard let entry = active.leave(place) else { return }
        places[entry.download.id] = nil
        let address = entry.order.address
        switch state {
        case .finished: break
        case .cancelled where stopReason != nil: stopped.append(entry.order)
        case .failed(let error): fail(.failure(error.message, of: address.shown))
        default: fail(.cancelled(address.shown))
        }
        if !arguments.isQuiet {
            for remark in entry.download.remarks where remark.matters(after: state) {
                display.say(Notice.remark(address.shown, remark.description).text)
            }
        }
        feed()
    }

    private func fail(_ notice: Notice) {
        failures += 1
        display.say(notice.text)
    }

    private func endWhenAllEnded() {
        guard active.count == 0, !isLettingGo, stopReason != nil || (orders.isEmpty && reader == nil) else { return }
        complete()
    }

    func beginStop(_ reason: StopReason) {
        guard stopReason == nil, exitCode == nil else { return }
        stopReason = reason
        // A download ends at once when it is cancelled; its attempt still writes what it holds.
        let letGo = BlockOperation { [executor] in
            executor.queue.async { self.assumeIsolated { $0.hasLetGo() } }
        }
        for entry in active.taken {
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
        endLive()
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
            notBegun: max(0, orders.count + stopped.count - kept.count),
            listGoesOn: reader != nil,
            hadCredentials: stopped.contains { $0.address.hasCredentials },
            arguments: arguments
        )
    }
}
