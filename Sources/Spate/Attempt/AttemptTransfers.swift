import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// The transfers of one attempt: at most one of each of its connections, of which 0 is the first.
struct AttemptTransfers {
    /// Whether no more are started.
    private(set) var isStopped = false
    private var first: (any Transfer)?
    private var helpers: [Int: any Transfer] = [:]

    /// Starts a transfer; false if no more are started.
    mutating func start(
        _ request: TransportRequest,
        for sink: any TransportSink,
        _ id: Int,
        by transport: any Transport
    ) -> Bool {
        if isStopped { return false }
        let transfer = transport.start(request, sink: sink)
        if id == 0 { first = transfer } else { helpers[id] = transfer }
        return true
    }

    /// The transfer of a connection has ended.
    mutating func ended(_ id: Int) {
        if id == 0 { first = nil } else { helpers[id] = nil }
    }

    subscript(id: Int) -> (any Transfer)? { id == 0 ? first : helpers[id] }

    /// Starts no more. Returns those that are to be cancelled.
    mutating func stop() -> [any Transfer] {
        isStopped = true
        return Array(helpers.values) + (first.map { [$0] } ?? [])
    }
}

extension Attempt {
    /// Starts a transfer; false if the attempt was cancelled, or a sync failed.
    func start(_ request: TransportRequest, for sink: any TransportSink, _ id: Int = 0) -> Bool {
        // Under the lock, so that a cancellation finds it. The transport calls nobody before this returns.
        control.withLock { $0.transfers.start(request, for: sink, id, by: manager.surroundings.transport) }
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

    /// Whether the first connection may go to this host: not if that has no room, or has asked to wait.
    ///
    /// The lease for the host that the attempt waited for is kept, and another host takes one of its own.
    func mayConnect(to host: HTTPOrigin) -> Bool {
        let former = control.withLock { $0.redirectLease }
        if host == former?.host ?? operation.host { return mayAsk(host) }
        giveBackRedirectLease()
        if host == operation.host { return mayAsk(host) }
        guard let lease = manager.feed.lease(host, urgently: isUrgent) else { return false }
        control.withLock { $0.redirectLease = lease }
        return true
    }

    func giveBackRedirectLease() {
        let lease = control.withLock { $0.redirectLease.take() }
        if let lease { manager.feed.giveBack(lease) }
    }

    /// The transfer of a connection has ended.
    func transferEnded(_ id: Int) {
        control.withLock { $0.transfers.ended(id) }
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
