import SpateHTTPSyntax
import SpateHosts
import SpateLocking
import SpateTiming

/// The hosts of the downloads: their refusals, and the connections beside the first one of an attempt.
extension OperationFeed {
    // MARK: Refusals

    /// A host has refused a request with 429 or 503. Only notes that, so that it may be called under a lock.
    ///
    /// - Parameters:
    ///   - hosts: the hosts to restrain.
    ///   - attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    func note(
        _ refusal: HostRestraint.Refusal,
        at hosts: Set<HTTPOrigin>,
        of attempt: (download: Download, began: ContinuousClock.Instant)? = nil
    ) {
        let attempt = attempt.map { (ObjectIdentifier($0.download), began: $0.began - start) }
        for host in hosts {
            let isNew = state.withLock { $0.hosts.note(refusal, at: host, of: attempt, now: now) }
            // A wait may end before the next refresh.
            if let wait = refusal.wait { later(wait) { _ = $0.refresh(host) } }
            if isNew { later(.zero) { $0.keepRefreshing(host) } }
        }
    }

    /// Whether a host has asked to wait.
    func isQuiet(_ host: HTTPOrigin) -> Bool {
        state.withLock { $0.hosts.restraints.isQuiet(host, now: now) }
    }

    private func later(_ delay: Duration, _ work: @escaping @Sendable (OperationFeed) -> Void) {
        // A timer uses another clock, which may be slightly ahead.
        runtime.after(delay + .milliseconds(1)) { [weak self] in self.map(work) }
    }

    /// Refreshes a host at each change of its restraint, until nothing is left of it.
    private func keepRefreshing(_ host: HTTPOrigin) {
        if let delay = refresh(host) { later(delay) { $0.keepRefreshing(host) } }
    }

    /// Returns the time to the next change.
    private func refresh(_ host: HTTPOrigin) -> Duration? {
        let delay = state.withLock { state in
            let now = now
            return state.hosts.refresh(host, now: now).map { $0 - now }
        }
        fill()
        return delay
    }

    // MARK: What hosts bear

    /// Limits the downloads of a host.
    ///
    /// - Parameter choose: is told how many may run, and returns how many may run from now on; `nil` for any number.
    func limit(_ host: HTTPOrigin, _ choose: (_ former: Int) -> Int?) {
        fill { state in
            let former = state.hosts.most(host, now: now)
            let count = choose(former)
            state.hosts.pace(host, to: count, now: now)
            if let count { noteChange(isLower: count < former) }
        }
    }

    /// All hosts may have any number again.
    func forgetHostLimits() { fill { $0.hosts.forgetPaces(now: now) } }

    // MARK: Connections

    /// The number of connections to all hosts.
    var connectionCount: Int { state.withLock { $0.hosts.connectionCount } }

    func connectionCount(_ host: HTTPOrigin) -> Int { state.withLock { $0.hosts.connectionCount(host) } }

    /// The room at a host for the helpers of a download.
    ///
    /// - Parameters:
    ///   - file: what the download is known as where its wishes are noted; see ``ConnectionWishes``.
    ///   - open: how many connections the download has.
    func room(
        at host: HTTPOrigin,
        others: Int,
        isAutomatic: Bool,
        of file: ObjectIdentifier,
        open: Int
    ) -> HostRoom {
        state.withLock { state in
            var room = state.hosts.room(at: host, others: others, isAutomatic: isAutomatic, now: now)
            if isAutomatic { pacer.limit(&room, of: file, open: open, ofAll: state.connections) }
            return room
        }
    }

    /// A helper's connection; `nil` if the host has no room. See the ledger.
    func leaseHelper(_ host: HTTPOrigin, others: Int, isAutomatic: Bool, isOnly: Bool) -> HostLease? {
        state.withLock {
            $0.hosts.leaseHelper(host, others: others, isAutomatic: isAutomatic, isOnly: isOnly, now: now)
        }
    }

    /// A connection to a redirect's host; `nil` if that has no room.
    func lease(_ host: HTTPOrigin, urgently: Bool) -> HostLease? {
        state.withLock { $0.hosts.lease(host, urgently: urgently, now: now) }
    }

    /// Whether it is a lease of a connection to this host.
    func isLease(_ lease: HostLease, of host: HTTPOrigin) -> Bool {
        state.withLock { $0.hosts.isLease(lease, of: host) }
    }

    /// An additional connection of an attempt has ended. Call this with no lock held.
    func giveBack(_ lease: HostLease) {
        fill { $0.hosts.giveBack(lease, now: now) }
    }
}
