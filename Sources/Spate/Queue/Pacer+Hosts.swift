import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpatePacing

/// What single hosts bear.
extension Pacer {
    /// What counts the bytes from a host; `nil` if nobody asks for them. What is known of a host from earlier takes effect
    /// with its first request.
    func arrivals(from name: HTTPOrigin, in feed: OperationFeed) -> ArrivalCount? {
        guard isAutomatic else { return nil }
        if let known = state.withLock({ $0.hosts[name] }) { return known.arrivals }
        let (lesson, now) = (lessons.withLock { $0[name] }, feed.now)
        let (host, isNew, present, change) = state.withLock { state in
            let known = state.hosts[name]
            let host = known ?? state.hosts.add(name)
            if known == nil, let host {
                state.downloads?.expect(lesson.downloads, borne: lesson.borne, of: host.number, now: now)
            }
            return (host, known == nil, state.limit, state.change(because: nil, now: now))
        }
        if isNew, lesson.borne != nil { limit(name, because: .known, in: feed) }
        apply(present, feed)
        report(change)
        return host?.arrivals
    }

    /// A host has closed a connection without an answer, or has taken none.
    func turnedAway(by name: HTTPOrigin, in feed: OperationFeed) {
        guard isAutomatic else { return }
        let (now, running) = (feed.now, feed.connectionCount(name))
        let change = state.withLock { state in
            state.hosts[name].flatMap { state.downloads?.turnedAway(by: $0.number, running: running, now: now) }
        }
        if let change { follow(change, of: name, nil, in: feed) }
    }

    /// Another number of a host's downloads may run.
    ///
    /// - Parameter endsLatest: ends so many downloads of a host.
    func follow(
        _ change: HostChange,
        of host: HTTPOrigin,
        _ endsLatest: (@Sendable (Int, HTTPOrigin?) -> Void)?,
        in feed: OperationFeed
    ) {
        limit(host, because: ConcurrencyChange.Reason(change.cause), in: feed)
        guard change.cause != .trial, let limit = change.limit else { return }
        lessons.withLock { $0.learn(host) { $0.borne = limit } }
        if change.cause == .collapse { endsLatest?(feed.connectionCount(host) - limit, host) }
    }

    /// Makes the ledger follow. It reads the limit under the feed's lock, so that the latest stays.
    private func limit(_ name: HTTPOrigin, because reason: ConcurrencyChange.Reason, in feed: OperationFeed) {
        feed.limit(name) { former in
            state.withLock { state in
                state.hosts.note(reason, of: name, from: former)
                // Otherwise the next look reports it.
                if !state.isTicking { state.hostReports(feed.now).forEach(report) }
                return state.hosts[name].flatMap { state.downloads?.limit(of: $0.number) }
            }
        }
    }
}
