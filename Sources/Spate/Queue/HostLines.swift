import HTTPResumption

/// How many connections a queue has to each host, and the downloads that wait for one.
///
/// The first connection of a download has its permit for the whole attempt. A download that waits for its host stands in
/// that host's own line, so that others pass it without a look.
struct HostLines {
    private struct Host {
        /// Attempts that were handed over or run.
        var attempts = 0
        /// Connections beside the first one of a download.
        var helpers = 0
        var restraint = HostRestraint()
        var line = noLine
        /// Those that try now, whatever the host has asked for.
        var urgent = noLine

        var connections: Int { attempts + helpers }
        var waiting: Int { line.count + urgent.count }
    }

    /// Shared, because most hosts have no line.
    private static let noLine = WaitingLine()

    /// The most connections to one host; `nil` for no limit.
    let limit: Int?
    private var hosts: [HTTPOrigin: Host] = [:]
    /// The hosts that somebody waits for, and that have room.
    private var ready: Set<HTTPOrigin> = []
    /// How many wait for their host.
    private(set) var count = 0
    /// The time, counted from any moment. To be set before each call.
    var now = Duration.zero

    init(limit: Int?) {
        self.limit = limit.map { max(1, $0) }
    }

    // MARK: Permits

    /// How many connections there are, to all hosts.
    var connectionCount: Int { hosts.values.reduce(0) { $0 + $1.connections } }

    /// - Parameter urgently: whether it is tried although the host has asked to wait.
    func hasRoom(_ name: HTTPOrigin, urgently: Bool = false) -> Bool {
        hosts[name].map { hasRoom($0, urgently: urgently) } ?? true
    }

    private func hasRoom(_ host: Host, urgently: Bool) -> Bool {
        if !urgently, host.restraint.isQuiet(now) { return false }
        return limit(of: host).map { host.connections < $0 } ?? true
    }

    private func limit(of host: Host) -> Int? {
        guard let restraint = host.restraint.limit(now) else { return limit }
        return min(limit ?? restraint, restraint)
    }

    mutating func addAttempt(_ count: Int, at name: HTTPOrigin) {
        change(name) { $0.attempts += count }
    }

    mutating func addHelpers(_ count: Int, at name: HTTPOrigin) {
        change(name) { $0.helpers += count }
    }

    /// How many more helpers there may be: none while a download waits for that host.
    ///
    /// - Parameter open: how many connections to it there are, as far as others know.
    func helperRoom(at name: HTTPOrigin, open: Int) -> Int {
        let host = hosts[name] ?? Host()
        if host.restraint.isQuiet(now) { return 0 }
        guard let limit = limit(of: host) else { return .max }
        return host.waiting > 0 ? 0 : max(0, limit - max(open, host.connections))
    }

    // MARK: Refusals

    /// - Parameter attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    mutating func note(_ refusal: HostRestraint.Refusal, at name: HTTPOrigin, of attempt: (Download, began: Duration)?)
    {
        let now = now
        change(name) { host in
            if let (download, began) = attempt {
                host.restraint.note(
                    refusal,
                    of: ObjectIdentifier(download),
                    began: began,
                    running: host.connections,
                    now: now
                )
            } else {
                host.restraint.noteWait(refusal, now: now)
            }
        }
    }

    /// Whether a host has asked to wait.
    func isQuiet(_ name: HTTPOrigin) -> Bool { hosts[name]?.restraint.isQuiet(now) ?? false }

    /// What a host has asked for may be over. Returns when the next such change comes.
    mutating func refresh(_ name: HTTPOrigin) -> Duration? {
        let now = now
        change(name) { if $0.restraint.isOver(now) { $0.restraint = HostRestraint() } }
        return hosts[name]?.restraint.nextChange(after: now)
    }

    // MARK: Lines

    mutating func append(_ waiting: WaitingDownload, at name: HTTPOrigin) {
        count += 1
        change(name) { waiting.isUrgent ? $0.urgent.append(waiting) : $0.line.append(waiting) }
    }

    /// The first download whose host has room, and its place among all that wait.
    var first: (host: HTTPOrigin, rank: WaitingLine.Rank)? {
        var best: (host: HTTPOrigin, rank: WaitingLine.Rank)?
        for name in ready {
            guard let rank = hosts[name].flatMap({ nextLine(of: $0) })?.firstRank else { continue }
            if best.map({ rank < $0.rank }) ?? true { best = (name, rank) }
        }
        return best
    }

    mutating func popFirst(at name: HTTPOrigin) -> WaitingDownload? {
        var first: WaitingDownload?
        change(name) { first = $0.urgent.popFirst() ?? $0.line.popFirst() }
        if first != nil { count -= 1 }
        return first
    }

    mutating func removeStale() -> [WaitingDownload] {
        var stale: [WaitingDownload] = []
        for (name, host) in hosts where host.waiting > 0 {
            change(name) { stale += $0.line.removeStale() + $0.urgent.removeStale() }
        }
        count -= stale.count
        return stale
    }

    private mutating func change(_ name: HTTPOrigin, _ change: (inout Host) -> Void) {
        var host = hosts[name].take() ?? Host()
        change(&host)
        if nextLine(of: host) != nil { ready.insert(name) } else { ready.remove(name) }
        let isIdle = host.connections == 0 && host.waiting == 0 && host.restraint.isOver(now)
        hosts[name] = isIdle ? nil : host
    }

    /// The line whose first download may be next.
    private func nextLine(of host: Host) -> WaitingLine? {
        if host.urgent.count > 0 { return hasRoom(host, urgently: true) ? host.urgent : nil }
        return host.line.count > 0 && hasRoom(host, urgently: false) ? host.line : nil
    }
}
