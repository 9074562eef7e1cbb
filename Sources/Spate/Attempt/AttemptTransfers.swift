import HTTPResumption
import HTTPTransport
import Locking

/// The transfers of one attempt: at most one of each of its connections, of which 0 is the first.
final class AttemptTransfers: Sendable {
    private struct State {
        var isStopped = false
        var running: [Int: any Transfer] = [:]
        /// The host that the first connection is counted for. A group counts its helpers itself.
        var host: String?
    }

    private let transport: any Transport
    private let state = Locked(State())

    init(by transport: any Transport) {
        self.transport = transport
    }

    /// Whether no more are started.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Starts a transfer; false if no more are started.
    func start(_ request: TransportRequest, for sink: any TransportSink, _ id: Int) -> Bool {
        // Under the lock, so that `stop` finds the transfer. The transport calls nobody before this returns.
        state.withLock { state in
            if state.isStopped { return false }
            if id == 0 {
                let host = request.url.originText
                state.host = host
                HostTable.shared.withLock { $0.add(1, to: host) }
            }
            state.running[id] = transport.start(request, sink: sink)
            return true
        }
    }

    /// The transfer of a connection has ended.
    func ended(_ id: Int) {
        state.withLock { state in
            state.running[id] = nil
            guard id == 0, let host = state.host else { return }
            state.host = nil
            HostTable.shared.withLock { $0.add(-1, to: host) }
        }
    }

    /// Ends the transfer of a connection.
    func end(_ id: Int) {
        let transfer = state.withLock { $0.running[id] }
        transfer?.cancel()
    }

    /// Ends all, and starts no more.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        for transfer in running.values { transfer.cancel() }
    }
}
