import HTTPSyntax
import Hosts

/// A manager's connections to each host, and the downloads that wait for one.
///
/// An attempt keeps the lease of its first connection until its end. A download that waits for its host stands in that
/// host's own line, so that downloads of other hosts pass it at no cost.
///
/// It has no clock. Each call states its time, counted from any moment.
struct HostLedger<Element: Waiting> {
    typealias Time = Duration

    private struct Host {
        var connections = 0
        var line: WaitingLine<Element>
        /// Downloads that the user wants to try now, even if the host has asked to wait.
        var urgent: WaitingLine<Element>

        var waiting: Int { line.count + urgent.count }
    }

    /// Shared, because most hosts have no line.
    private let noLine = WaitingLine<Element>()

    /// The most connections of the process to one host for ``ConnectionCount/automatic``.
    private static var mostAutomatic: Int { 6 }
    /// The most connections to one host; `nil` for no limit.
    let limit: Int?
    /// The limits of hosts that have refused requests.
    private(set) var restraints = HostRestraints()
    private var hosts: [HTTPOrigin: Host] = [:]
    /// Hosts with a line and with room.
    private var ready: Set<HTTPOrigin> = []
    /// The number of downloads in all lines.
    private(set) var count = 0
    /// The numbers of the leases in use.
    private var leases: Set<UInt64> = []
    private var lastLease: UInt64 = 0

    init(limit: Int?) {
        self.limit = limit.map { max(1, $0) }
    }

    // MARK: Leases

    /// The number of connections to all hosts.
    var connectionCount: Int { leases.count }

    func connectionCount(_ name: HTTPOrigin) -> Int { hosts[name]?.connections ?? 0 }

    /// Leases a connection to this host; `nil` if it has no room.
    ///
    /// - Parameter urgently: whether to ignore that the host has asked to wait.
    mutating func lease(_ name: HTTPOrigin, urgently: Bool = false, now: Time) -> HostLease? {
        hasRoom(name, urgently: urgently, now: now) ? newLease(name, now: now) : nil
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
        return newLease(name, now: now)
    }

    private mutating func newLease(_ name: HTTPOrigin, now: Time) -> HostLease {
        lastLease += 1
        leases.insert(lastLease)
        change(name, now: now) { $0.connections += 1 }
        return HostLease(host: name, number: lastLease)
    }

    mutating func giveBack(_ lease: HostLease, now: Time) {
        guard leases.remove(lease.number) != nil else { return }
        change(lease.host, now: now) { $0.connections -= 1 }
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
            // The first connection would end, but the attempt keeps its lease.
            mayReplaceFirst: open <= most && helperRoom(at: name, others: max(0, others - 1), now: now) > 0
        )
    }

    /// 0 while a download waits for this host.
    private func helperRoom(at name: HTTPOrigin, others: Int, now: Time) -> Int {
        if restraints.isQuiet(name, now: now) { return 0 }
        guard let limit = limit(of: name, now: now) else { return .max }
        guard let host = hosts[name] else { return max(0, limit - others) }
        return host.waiting > 0 ? 0 : max(0, limit - others - host.connections)
    }

    private func hasRoom(_ name: HTTPOrigin, urgently: Bool, now: Time) -> Bool {
        if !urgently, restraints.isQuiet(name, now: now) { return false }
        return limit(of: name, now: now).map { connectionCount(name) < $0 } ?? true
    }

    private func limit(of name: HTTPOrigin, now: Time) -> Int? {
        guard let restraint = restraints.limit(of: name, now: now) else { return limit }
        return min(limit ?? restraint, restraint)
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
        change(name, now: now) { _ in }
        return isNew
    }

    /// Forgets a host's expired refusals. Returns when to call this again; `nil` if nothing is left.
    mutating func refresh(_ name: HTTPOrigin, now: Time) -> Time? {
        let next = restraints.refresh(name, now: now)
        change(name, now: now) { _ in }
        return next
    }

    // MARK: Lines

    mutating func append(_ waiting: Element, at name: HTTPOrigin, now: Time) {
        count += 1
        change(name, now: now) { waiting.isUrgent ? $0.urgent.append(waiting) : $0.line.append(waiting) }
    }

    /// The first download whose host has room, and its rank.
    func first(now: Time) -> (host: HTTPOrigin, rank: WaitingLine<Element>.Rank)? {
        var best: (host: HTTPOrigin, rank: WaitingLine<Element>.Rank)?
        for name in ready {
            guard let rank = hosts[name].flatMap({ nextLine(of: name, $0, now: now) })?.firstRank else { continue }
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
        for (name, host) in hosts where host.waiting > 0 {
            change(name, now: now) { stale += $0.line.removeStale() + $0.urgent.removeStale() }
        }
        count -= stale.count
        return stale
    }

    private mutating func change(_ name: HTTPOrigin, now: Time, _ change: (inout Host) -> Void) {
        let noLine = noLine
        func note(_ known: inout Host?) -> Bool {
            var host = known.take() ?? Host(line: noLine, urgent: noLine)
            change(&host)
            let isWaitedFor = host.waiting > 0
            known = host.connections == 0 && !isWaitedFor ? nil : host
            return isWaitedFor
        }
        // A single lookup for most: each small file leases a connection and returns it.
        let isWaitedFor = note(&hosts[name])
        if isWaitedFor, let host = hosts[name], nextLine(of: name, host, now: now) != nil {
            ready.insert(name)
        } else if !ready.isEmpty {
            ready.remove(name)
        }
    }

    /// The line whose first download may be next.
    private func nextLine(of name: HTTPOrigin, _ host: Host, now: Time) -> WaitingLine<Element>? {
        let urgently = host.urgent.count > 0
        guard host.waiting > 0, hasRoom(name, urgently: urgently, now: now) else { return nil }
        return urgently ? host.urgent : host.line
    }
}
