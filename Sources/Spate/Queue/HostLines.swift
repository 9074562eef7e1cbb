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
        var line = WaitingLine()

        var isIdle: Bool { attempts == 0 && helpers == 0 && line.count == 0 }
    }

    /// The most connections to one host; `nil` for no limit.
    let limit: Int?
    private var hosts: [String: Host] = [:]
    /// The hosts that somebody waits for, and that have room.
    private var ready: Set<String> = []
    /// How many wait for their host.
    private(set) var count = 0

    init(limit: Int?) {
        self.limit = limit.map { max(1, $0) }
    }

    // MARK: Permits

    func hasRoom(_ name: String) -> Bool { hosts[name].map(hasRoom) ?? true }

    private func hasRoom(_ host: Host) -> Bool {
        limit.map { host.attempts + host.helpers < $0 } ?? true
    }

    mutating func addAttempt(_ count: Int, at name: String) {
        change(name) { $0.attempts += count }
    }

    mutating func addHelpers(_ count: Int, at name: String) {
        change(name) { $0.helpers += count }
    }

    /// How many more helpers there may be: none while a download waits for that host.
    ///
    /// - Parameter open: how many connections to it there are, as far as others know.
    func helperRoom(at name: String, open: Int) -> Int {
        guard let limit else { return .max }
        let host = hosts[name] ?? Host()
        return host.line.count > 0 ? 0 : max(0, limit - max(open, host.attempts + host.helpers))
    }

    // MARK: Lines

    mutating func append(_ waiting: WaitingDownload, at name: String) {
        count += 1
        change(name) { $0.line.append(waiting) }
    }

    /// The first download whose host has room, and its place among all that wait.
    var first: (host: String, rank: WaitingLine.Rank)? {
        var best: (host: String, rank: WaitingLine.Rank)?
        for name in ready {
            guard let rank = hosts[name]?.line.firstRank else { continue }
            if best.map({ rank < $0.rank }) ?? true { best = (name, rank) }
        }
        return best
    }

    mutating func popFirst(at name: String) -> WaitingDownload? {
        var first: WaitingDownload?
        change(name) { first = $0.line.popFirst() }
        if first != nil { count -= 1 }
        return first
    }

    mutating func removeStale() -> [WaitingDownload] {
        var stale: [WaitingDownload] = []
        for (name, host) in hosts where host.line.count > 0 {
            change(name) { stale += $0.line.removeStale() }
        }
        count -= stale.count
        return stale
    }

    private mutating func change(_ name: String, _ change: (inout Host) -> Void) {
        var host = hosts[name].take() ?? Host()
        change(&host)
        if host.line.count > 0, hasRoom(host) { ready.insert(name) } else { ready.remove(name) }
        hosts[name] = host.isIdle ? nil : host
    }
}
