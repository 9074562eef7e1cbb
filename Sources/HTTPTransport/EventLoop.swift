import CSpateCurl
package import Dispatch
import Foundation
import SpateLocking
import Synchronization

/// Drives one multi handle of libcurl, in turns: on a thread of its own, or as items of a serial queue.
///
/// Only this thread or queue calls libcurl. Other threads put commands into the inbox and wake it.
///
/// A loop on a queue lets the queue's other items run between its turns. Operations that start there send their requests
/// from the loop's own thread, with no thread to wake. While nothing is transferred, it uses no thread.
///
/// Such an item must not block, because it holds up the transfers. Whoever adds one calls ``addedItems()`` afterwards,
/// because a turn may poll for long; the poll ends then.
package final class EventLoop: Sendable {
    enum Command: Sendable {
        case start(id: UInt64, TransportRequest, Forecast, LoopPlace, any TransportSink)
        case cancel(id: UInt64)
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        /// Whether the loop sleeps in its poll, or is about to, and must be woken.
        var isAsleep = false
        /// Whether other items may wait in the queue behind the present turn.
        var hasItems = false
        /// Whether no turn is queued or under way. Only a loop on a queue rests.
        var isResting: Bool
        var isStopping = false
        var isClosed = false
    }

    /// What follows a turn.
    private enum Step {
        case nextTurn
        /// Let the queue's other items run before the next turn.
        case otherItems
        /// Wait for the network.
        case poll(milliseconds: CInt)
        /// No turn until the next command.
        case rest
        case close
    }

    private let inbox: Locked<Inbox>
    private let lastID = Atomic<UInt64>(0)
    let load: LoopLoad
    /// `nil` if the loop has a thread of its own.
    package let queue: DispatchQueue?
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()
    private let thread = Atomic<UInt>(0)
    /// libcurl allows other threads only one call on it: the wake-up.
    private nonisolated(unsafe) let multi: SpateCurlMulti
    /// Used only in turns.
    private nonisolated(unsafe) var transfers: RunningTransfers
    /// Used only in turns. The inbox gets it back empty, so that the next commands reuse its memory.
    private nonisolated(unsafe) var commands: [Command] = []
    /// Used only in turns on a queue.
    private nonisolated(unsafe) var signal: PipeSignal?

    /// A loop on a thread of its own. `nil` if the process has no memory, descriptor or thread left for it.
    convenience init?(thread name: String, experience: Experience) {
        self.init(on: nil, experience: experience)
        if OwnThread.start(name, { self.run() }) { return }
        _ = spate_curl_multi_cleanup(multi)
        return nil
    }

    /// A loop on a serial queue. `nil` if the process has no memory or descriptor left for it.
    convenience init?(queue label: String, experience: Experience) {
        let queue = DispatchQueue(label: label)
        self.init(on: queue, experience: experience)
        queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self))
        ExitGate.add(self)
    }

    private init?(on queue: DispatchQueue?, experience: Experience) {
        self.queue = queue
        inbox = Locked(Inbox(isResting: queue != nil))
        load = LoopLoad(sizes: experience.sizes)
        guard let multi = spate_curl_multi_init() else { return nil }
        self.multi = multi
        transfers = RunningTransfers(multi: multi, load: load, protocols: experience.protocols)
        // libcurl also makes handles without a wake-up descriptor. Such a loop would sleep for a minute.
        guard spate_curl_multi_close_on_exec(multi) == CInt(SPATE_CURLM_OK) else {
            _ = spate_curl_multi_cleanup(multi)
            return nil
        }
    }

    /// Whether the caller runs on the loop's thread or queue.
    package var isCurrent: Bool {
        if queue == nil { return thread.load(ordering: .relaxed) == pthread_self() }
        return DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self)
    }

    /// Starts a transfer that was reserved here.
    func start(
        _ request: TransportRequest,
        _ forecast: Forecast,
        at place: LoopPlace,
        sink: any TransportSink
    ) -> any Transfer {
        let id = lastID.add(1, ordering: .relaxed).newValue
        post { $0.commands.append(.start(id: id, request, forecast, place, sink)) }
        return LoopTransfer(loop: self, id: id)
    }

    func cancel(_ id: UInt64) {
        post { $0.commands.append(.cancel(id: id)) }
    }

    /// Ends the loop after its last transfer.
    func stop() {
        post { $0.isStopping = true }
    }

    /// Ends the current poll, if there is one.
    func wake() {
        post { _ in }
    }

    /// Items were added to the queue. They run before the loop polls again.
    package func addedItems() {
        post { $0.hasItems = true }
    }

    private func post(_ change: (inout Inbox) -> Void) {
        let begins = inbox.withLock { inbox in
            change(&inbox)
            // Wake it under the lock, so that the handle cannot be freed in between.
            if inbox.isAsleep, !inbox.isClosed {
                inbox.isAsleep = false
                _ = spate_curl_multi_wakeup(multi)
            }
            let begins = inbox.isResting && (!inbox.commands.isEmpty || inbox.isStopping)
            if begins { inbox.isResting = false }
            return begins
        }
        if begins, let queue { addTurn(to: queue) }
    }

    // MARK: Turns

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        ExitGate.add(self)
        takeTurns()
    }

    private func addTurn(to queue: DispatchQueue) {
        queue.async {
            // While there are items, one thread of Dispatch runs them all.
            if self.signal?.isOfThisThread != true { self.signal = PipeSignal() }
            self.takeTurns()
        }
    }

    private func unblockSignal() {
        if let signal, signal.isOfThisThread { signal.unblock() }
        signal = nil
    }

    /// Takes turns until the loop is closed, rests, or lets other items of its queue run.
    private func takeTurns() {
        while true {
            switch turn() {
            case .nextTurn: continue
            case .otherItems:
                if let queue { addTurn(to: queue) }
                return
            case .poll(let pause):
                _ = ExitGate.inside { spate_curl_multi_poll(multi, pause) }
                inbox.withLock { $0.isAsleep = false }
            case .rest: return
            case .close:
                ExitGate.inside {
                    transfers.close()
                    _ = spate_curl_multi_cleanup(multi)
                }
                return ExitGate.remove(self)
            }
        }
    }

    /// Executes the commands, and lets libcurl work. After `rest` and `close` another thread may take the next turn.
    private func turn() -> Step {
        let pause = ExitGate.inside {
            inbox.withLock { swap(&$0.commands, &commands) }
            return transfers.turn(executing: &commands)
        }
        let isEmpty = transfers.isEmpty
        return inbox.withLock { inbox in
            if inbox.hasItems {
                inbox.hasItems = false
                return .otherItems
            }
            guard inbox.commands.isEmpty else { return .nextTurn }
            if isEmpty, inbox.isStopping {
                inbox.isClosed = true
                unblockSignal()
                return .close
            }
            if isEmpty, queue != nil {
                unblockSignal()
                inbox.isResting = true
                return .rest
            }
            inbox.isAsleep = true
            return .poll(milliseconds: pause)
        }
    }
}

private struct LoopTransfer: Transfer {
    let loop: EventLoop
    let id: UInt64

    func cancel() {
        loop.cancel(id)
    }
}
