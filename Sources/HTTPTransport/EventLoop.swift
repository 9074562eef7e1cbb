import CCurl
import CSystem
import Foundation
import Locking
import Synchronization

/// A thread that drives one multi handle of libcurl.
///
/// Only that thread calls libcurl. Other threads put commands into the inbox and wake it.
final class EventLoop: Sendable {
    enum Command: Sendable {
        case start(id: UInt64, TransportRequest, any TransportSink)
        case cancel(id: UInt64)
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        /// Whether the thread sleeps in its poll, or is about to, and must be woken.
        var isAsleep = false
        var isStopping = false
        var isClosed = false
    }

    private let inbox = Locked(Inbox())
    let load: LoopLoad
    private let thread = Atomic<UInt>(0)
    /// libcurl allows other threads only one call on it: the wake-up.
    private nonisolated(unsafe) let multi: SpateCurlMulti

    /// `nil` if the process has no memory, descriptor or thread left for it.
    init?(name: String, sizes: RecentSizes) {
        load = LoopLoad(sizes: sizes)
        guard let multi = spate_curl_multi_init() else { return nil }
        self.multi = multi
        // libcurl also makes handles without a wake-up descriptor. Such a loop would sleep for a minute.
        guard spate_curl_multi_close_on_exec(multi) == CInt(SPATE_CURLM_OK), startThread(name) else {
            _ = spate_curl_multi_cleanup(multi)
            return nil
        }
    }

    /// False if the thread cannot be created. Foundation's `Thread` would not report that.
    private func startThread(_ name: String) -> Bool {
        let loop = Unmanaged.passRetained(self)
        let code = spate_start_thread(
            name,
            1 << 20,
            { context in
                if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            loop.toOpaque()
        )
        if code != 0 { loop.release() }
        return code == 0
    }

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

    /// Starts a transfer that was reserved in the load.
    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let id = post { inbox in
            inbox.lastID += 1
            inbox.commands.append(.start(id: inbox.lastID, request, sink))
        }
        return LoopTransfer(loop: self, id: id)
    }

    func cancel(_ id: UInt64) {
        post { $0.commands.append(.cancel(id: id)) }
    }

    /// Ends the thread after its last transfer.
    func stop() {
        post { $0.isStopping = true }
    }

    /// Ends the current poll, if there is one.
    func wake() {
        post { _ in }
    }

    @discardableResult
    private func post(_ change: (inout Inbox) -> Void) -> UInt64 {
        inbox.withLock { inbox in
            change(&inbox)
            // Wake it under the lock, so that the handle cannot be freed in between.
            if inbox.isAsleep, !inbox.isClosed {
                inbox.isAsleep = false
                _ = spate_curl_multi_wakeup(multi)
            }
            return inbox.lastID
        }
    }

    /// Swaps the inbox for an empty list, so that the next commands reuse its memory.
    private func take(_ commands: inout [Command]) {
        inbox.withLock { swap(&$0.commands, &commands) }
    }

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        // Signal handlers belong on the program's own threads. A peer that disappears within a TLS record must not
        // end the process with SIGPIPE.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        ExitGate.add(self)
        defer { ExitGate.remove(self) }
        let transfers = RunningTransfers(multi: multi, load: load)
        var commands: [Command] = []
        while true {
            ExitGate.inside {
                take(&commands)
                for command in commands { transfers.execute(command) }
                commands.removeAll(keepingCapacity: true)
                transfers.perform()
            }

            let pause = transfers.millisecondsToNextDeadline()
            let (sleeps, stops) = inbox.withLock { inbox in
                guard inbox.commands.isEmpty else { return (false, false) }
                inbox.isClosed = inbox.isStopping && transfers.isEmpty
                inbox.isAsleep = !inbox.isClosed
                return (inbox.isAsleep, inbox.isClosed)
            }
            if stops { break }
            guard sleeps else { continue }
            _ = ExitGate.inside { spate_curl_multi_poll(multi, pause) }
            inbox.withLock { $0.isAsleep = false }
        }
        ExitGate.inside {
            transfers.close()
            _ = spate_curl_multi_cleanup(multi)
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
