import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// The transfers of one attempt: at most one of each of its connections, of which 0 is the first.
struct AttemptTransfers {
    /// Whether no more are started.
    private(set) var isStopped = false
    /// The first connection's, and the host that it is counted for. A group counts its helpers itself.
    private var first: (transfer: any Transfer, host: HTTPOrigin)?
    private var helpers: [Int: any Transfer] = [:]

    /// Starts a transfer; false if no more are started.
    mutating func start(
        _ request: TransportRequest,
        for sink: any TransportSink,
        _ id: Int,
        in surroundings: Surroundings
    ) -> Bool {
        if isStopped { return false }
        if id == 0 {
            let host = request.url.origin
            surroundings.hosts.withLock { $0.add(1, to: host) }
            first = (surroundings.transport.start(request, sink: sink), host)
        } else {
            helpers[id] = surroundings.transport.start(request, sink: sink)
        }
        return true
    }

    /// The transfer of a connection has ended.
    mutating func ended(_ id: Int, in surroundings: Surroundings) {
        if id != 0 {
            helpers[id] = nil
        } else if let host = first?.host {
            first = nil
            surroundings.hosts.withLock { $0.add(-1, to: host) }
        }
    }

    subscript(id: Int) -> (any Transfer)? { id == 0 ? first?.transfer : helpers[id] }

    /// Starts no more. Returns those that are to be cancelled.
    mutating func stop() -> [any Transfer] {
        isStopped = true
        return Array(helpers.values) + (first.map { [$0.transfer] } ?? [])
    }
}

extension Attempt {
    /// Starts a transfer; false if the attempt was cancelled, or a sync failed.
    func start(_ request: TransportRequest, for sink: any TransportSink, _ id: Int = 0) -> Bool {
        // Under the lock, so that a cancellation finds it. The transport calls nobody before this returns.
        control.withLock { $0.transfers.start(request, for: sink, id, in: manager.surroundings) }
    }

    /// How many more requests this attempt may send.
    func requestsLeft(for file: PartialFile) -> Int {
        let filled = file.filled.count
        return control.withLock { $0.requests.left(filled: filled) }
    }

    /// Another request is sent; false if there are enough.
    func takeRequest(for file: PartialFile) -> Bool {
        let filled = file.filled.count
        return control.withLock { $0.requests.take(filled: filled) }
    }

    /// Whether a host may be asked: it has not asked to wait, or the user wants it all the same.
    func mayAsk(_ host: HTTPOrigin) -> Bool { isUrgent || !manager.feed.isQuiet(host) }

    /// Counts the first connection at the host that it goes to; false if that has no room, or has asked to wait.
    ///
    /// The permit of the host that the attempt waited for is kept, and another host has its own.
    func mayConnect(to host: HTTPOrigin) -> Bool {
        let former = control.withLock { $0.redirectedTo }
        if host == former || former == nil && host == operation.host { return mayAsk(host) }
        if let former { manager.feed.helperEnded(at: former) }
        let isElsewhere = host != operation.host
        let isCounted = isElsewhere && manager.feed.takePermit(at: host, urgently: isUrgent)
        control.withLock { $0.redirectedTo = isCounted ? host : nil }
        return isElsewhere ? isCounted : mayAsk(host)
    }

    /// The attempt has no connection any more.
    func giveBackPermit() {
        let host = control.withLock { $0.redirectedTo.take() }
        if let host { manager.feed.helperEnded(at: host) }
    }

    /// The transfer of a connection has ended.
    func transferEnded(_ id: Int) {
        control.withLock { $0.transfers.ended(id, in: manager.surroundings) }
    }

    /// Ends the transfer of one connection.
    func endTransfer(_ id: Int) {
        let transfer = control.withLock { $0.transfers[id] }
        transfer?.cancel()
    }

    /// Sends no more requests, and ends the transfers that are under way.
    func cancel() {
        let (transfers, preparation) = control.withLock { ($0.transfers.stop(), $0.preparation) }
        preparation?.cancel()
        for transfer in transfers { transfer.cancel() }
    }

    /// Whether it was cancelled, or a sync failed.
    var isStopping: Bool { control.withLock { $0.transfers.isStopped } }
}
