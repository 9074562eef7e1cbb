import SpateHTTPSyntax
import SpateHosts

/// A manager's connections to each host, and the downloads that wait for one.
///
/// An attempt keeps the lease of its first connection until its end. A download that waits for its host stands in that
/// host's own line, so that downloads of other hosts pass it at no cost.
///
/// It has no clock. Each call states its time, counted from any moment. Most need no time: few hosts have refused
/// anything.
struct HostLedger<Element: Waiting> {
    typealias Time = Duration

    private struct Host {
        let name: HTTPOrigin
        var connections = 0
        var line: WaitingLine<Element>
        /// Downloads that the user wants to try now, even if the host has asked to wait.
        var urgent: WaitingLine<Element>

        var waiting: Int { line.count + urgent.count }
        var isIdle: Bool { connections == 0 && waiting == 0 }
    }

    /// Shared, because most hosts have no line.
    private let noLine = WaitingLine<Element>()

    /// The most connections of the process to one host for ``ConnectionCount/automatic``.
    private static var mostAutomatic: Int { 32 }
    /// The most connections to one host; `nil` for no limit.
    let limit: Int?
    /// The limits of hosts that have refused requests.
    private(set) var restraints = HostRestraints()
    /// The limits of hosts that bore no more. See ``HostPace``.
    private var paces: [HTTPOrigin: Int] = [:]
    /// The hosts that have connections or a line.
    private var hosts: [HTTPOrigin: Host] = [:]
    /// Hosts with a line and with room.
    private var ready: Set<HTTPOrigin> = []
    /// The number of downloads in all lines.
    private(set) var count = 0
    /// The number of connections to all hosts.
    private(set) var connectionCount = 0
    /// The number of those that are helpers'.
    private(set) var helperCount = 0
    /// The leases in use, and the hosts that they are of.
    private var leases: [HostLease: (host: HTTPOrigin, isHelper: Bool)] = [:]
    private var lastLease: UInt64 = 0

    init(limit: Int?) {
        self.limit = limit.map { max(1, $0) }
    }

    // MARK: Leases

    func connectionCount(_ name: HTTPOrigin) -> Int { hosts[name]?.connections ?? 0 }

    /// Leases a connection to this host; `nil` if it has no room.
    ///
    /// - Parameter urgently: whether to ignore that the host has asked to wait.
    mutating func lease(_ name: HTTPOrigin, urgently: Bool = false, now: @autoclosure () -> Time) -> HostLease? {
        hasRoom(name, urgently: urgently, now: now()) ? newLease(name, now: now()) : nil
    }

    /// Leases a connection for a helper; `nil` if the host has no room.
    ///
    /// - Parameter isOnly: whether the first connection has ended, and the helper takes its place.
    mutating func leaseHelper(
        _ name: HTTPOrigin,
        others: Int,
        isAutomatic: Bool,
        isOnly: Bool,
        now: Time
    ) -> HostLease? {
        let room = room(at: name, others: others, isAutomatic: isAutomatic, now: now)
        guard isOnly || room.helpers > 0 else { return nil }
        return newLease(name, isHelper: true, now: now)
    }

    private mutating func newLease(
        _ name: HTTPOrigin,
        isHelper: Bool = false,
        now: @autoclosure () -> Time
    ) -> HostLease {
        lastLease += 1
        connectionCount += 1
        if isHelper { helperCount += 1 }
        let lease = HostLease(number: lastLease)
        leases[lease] = (name, isHelper)
        change(name, now: now()) { $0.connections += 1 }
        return lease
    }

    /// Whether it is a lease of a connection to this host.
    func isLease(_ lease: HostLease, of name: HTTPOrigin) -> Bool {
        leases[lease]?.host == name
    }

    mutating func giveBack(_ lease: HostLease, now: @autoclosure () -> Time) {
        guard let known = leases.removeValue(forKey: lease) else { return }
        connectionCount -= 1
        if known.isHelper { helperCount -= 1 }
        change(known.host, now: now()) { $0.connections -= 1 }
    }

    /// The room at the host for the helpers of a download that is connected to it.
    ///
    /// - Parameters:
    ///   - others: the number of other managers' connections to it.
    ///   - isAutomatic: whether the number of connections is automatic.
    func room(at name: HTTPOrigin, others: Int, isAutomatic: Bool, now: Time) -> HostRoom {
        let open = others + connectionCount(name)
        let most = isAutomatic ? Self.mostAutomatic : .max
        return HostRoom(
            helpers: min(max(0, most - open), helperRoom(at: name, others: others, now: now)),
            // The attempt keeps the lease of its first connection, also when that has ended.
            mayReplaceFirst: open <= most && helperRoom(at: name, others: max(0, others - 1), now: now) > 0,
            mayReplaceHelper: open <= min(most, limit(of: name, now: now) ?? .max)
                && !restraints.isQuiet(name, now: now)
        )
    }

    /// 0 while a download waits for this host.
    private func helperRoom(at name: HTTPOrigin, others: Int, now: Time) -> Int {
        if restraints.isQuiet(name, now: now) { return 0 }
        guard let limit = limit(of: name, now: now) else { return .max }
        guard let host = hosts[name] else { return max(0, limit - others) }
        return host.waiting > 0 ? 0 : max(0, limit - others - host.connections)
    }

    private func hasRoom(_ name: HTTPOrigin, urgently: Bool, now: @autoclosure () -> Time) -> Bool {
        if !urgently, !restraints.isEmpty, restraints.isQuiet(name, now: now()) { return false }
        return limit(of: name, now: now()).map { connectionCount(name) < $0 } ?? true
    }

    private func limit(of name: HTTPOrigin, now: @autoclosure () -> Time) -> Int? {
        if restraints.isEmpty, paces.isEmpty { return limit }
        return [limit, restraints.limit(of: name, now: now()), paces[name]].compactMap(\.self).min()
    }

    // MARK: Refusals

    /// A host has refused a request. Returns whether it is the first time: then call ``refresh(_:now:)`` from now on.
    ///
    /// - Parameter attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    mutating func note(
        _ refusal: HostRestraint.Refusal,
        at name: HTTPOrigin,
        of attempt: (ObjectIdentifier, began: Time)?,
        now: Time
    ) -> Bool {
        let isNew = restraints.note(refusal, at: name, of: attempt, running: connectionCount(name), now: now)
        change(name, now: now)
        return isNew
    }

    /// Forgets a host's expired refusals. Returns when to call this again; `nil` if nothing is left.
    mutating func refresh(_ name: HTTPOrigin, now: Time) -> Time? {
        let next = restraints.refresh(name, now: now)
        change(name, now: now)
        return next
    }

    // MARK: What hosts bear

    /// How many of a host's downloads may run; those that run, if any number may.
    func most(_ name: HTTPOrigin, now: Time) -> Int { limit(of: name, now: now) ?? connectionCount(name) }

    /// At most so many of a host's downloads may run; `nil` for any number.
    mutating func pace(_ name: HTTPOrigin, to count: Int?, now: Time) {
        // It outlives its URL.
        paces[name.alone] = count
        change(name, now: now)
    }

    /// All hosts may have any number again.
    mutating func forgetPaces(now: Time) {
        let names = paces.keys
        paces = [:]
        for name in names { change(name, now: now) }
    }

    var pacedHosts: [String: DownloadManager.PacedHost] {
        paces.reduce(into: [:]) { hosts, pace in
            let host = DownloadManager.PacedHost(limit: pace.value, connections: connectionCount(pace.key))
            hosts[pace.key.description] = host
        }
    }

    /// What is open to a host, and waits for it.
    func load(of name: HTTPOrigin) -> PacedHosts.Load {
        let host = hosts[name]
        return PacedHosts.Load(
            connections: host?.connections ?? 0,
            waiting: host?.waiting ?? 0,
            isPaced: paces[name] != nil
        )
    }

    // MARK: Lines

    mutating func append(_ waiting: Element, at name: HTTPOrigin, now: Time) {
        count += 1
        change(name, now: now) { waiting.isUrgent ? $0.urgent.append(waiting) : $0.line.append(waiting) }
    }

    /// The first download whose host has room, and its rank.
    func first(now: @autoclosure () -> Time) -> (host: HTTPOrigin, rank: WaitingLine<Element>.Rank)? {
        var best: (host: HTTPOrigin, rank: WaitingLine<Element>.Rank)?
        for name in ready {
            guard let host = hosts[name], let rank = nextLine(of: host, now: now())?.firstRank else { continue }
            if best.map({ rank < $0.rank }) ?? true { best = (name, rank) }
        }
        return best
    }

    mutating func popFirst(at name: HTTPOrigin, now: Time) -> Element? {
        var first: Element?
        change(name, now: now) { first = $0.urgent.popFirst() ?? $0.line.popFirst() }
        if first != nil { count -= 1 }
        return first
    }

    mutating func removeStale(now: Time) -> [Element] {
        var stale: [Element] = []
        for name in hosts.values.filter({ $0.waiting > 0 }).map(\.name) {
            change(name, now: now) { stale += $0.line.removeStale() + $0.urgent.removeStale() }
        }
        count -= stale.count
        return stale
    }

    /// Changes what a host has, or looks again at whether it has room.
    private mutating func change(
        _ name: HTTPOrigin,
        now: @autoclosure () -> Time,
        _ change: (inout Host) -> Void = { _ in }
    ) {
        guard let index = hosts.index(forKey: name) else {
            // It outlives its URL.
            let name = name.alone
            hosts[name] = Host(name: name, line: noLine, urgent: noLine)
            return self.change(name, now: now(), change)
        }
        change(&hosts.values[index])
        let host = hosts.values[index]
        if host.isIdle { hosts.remove(at: index) }
        if host.waiting > 0, nextLine(of: host, now: now()) != nil {
            ready.insert(host.name)
        } else if !ready.isEmpty {
            ready.remove(host.name)
        }
    }

    /// The line whose first download may be next.
    private func nextLine(of host: Host, now: @autoclosure () -> Time) -> WaitingLine<Element>? {
        let urgently = host.urgent.count > 0
        guard hasRoom(host.name, urgently: urgently, now: now()) else { return nil }
        return urgently ? host.urgent : host.line
    }
}
