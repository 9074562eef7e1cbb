import SpateHTTPSyntax
import SpateHTTPTransport
import SpatePacing

/// The hosts of a manager's downloads whose bytes are counted, while the number of downloads is automatic.
struct PacedHosts {
    struct Host {
        let name: HTTPOrigin
        /// What ``Pace`` calls it.
        let number: Int
        let arrivals = ArrivalCount()
        /// What could run at the last report, and why that has changed since.
        var unreported: (former: Int, reason: ConcurrencyChange.Reason)?
        var reported: Duration?
    }

    /// What a host's connections and lines hold.
    struct Load {
        let connections: Int
        let waiting: Int
        /// Whether it has a limit of its own, since it bore no more.
        let isPaced: Bool

        var isIdle: Bool { connections == 0 && waiting == 0 }
    }

    private var hosts: [HTTPOrigin: Host] = [:]
    private var lastNumber = 0
    /// What the lesson about the only host is by now.
    private var learned: Int?

    /// More hosts than may be in use at once. Nothing is counted for others.
    private static let most = 256

    subscript(name: HTTPOrigin) -> Host? { hosts[name] }

    var all: [Host] { Array(hosts.values) }

    /// The only host that is in use.
    var only: HTTPOrigin? { hosts.count == 1 ? hosts.values.first?.name : nil }

    func name(of number: Int) -> HTTPOrigin? { hosts.values.first { $0.number == number }?.name }

    /// `nil` if there are too many.
    mutating func add(_ name: HTTPOrigin) -> Host? {
        guard hosts.count < Self.most else { return nil }
        lastNumber += 1
        learned = nil
        // It outlives its URL.
        let host = Host(name: name.alone, number: lastNumber)
        hosts[host.name] = host
        return host
    }

    /// Forgets the hosts that are no longer in use, and returns what is known of the others.
    ///
    /// - Parameters:
    ///   - loads: what each of these hosts holds.
    ///   - isHeldBack: whether something else than numbers sets the pace.
    ///   - othersWait: whether downloads wait that may be of any host.
    mutating func facts(_ loads: [(Host, Load)], isHeldBack: Bool, othersWait: Bool) -> [HostFacts] {
        loads.compactMap { host, load in
            if load.isIdle {
                hosts[host.name] = nil
                return nil
            }
            return HostFacts(
                host: host.number,
                bytes: host.arrivals.take(),
                running: load.connections,
                isHeldBack: isHeldBack || !othersWait && load.waiting == 0
            )
        }
    }

    /// Another number of a host's downloads may run.
    mutating func note(_ reason: ConcurrencyChange.Reason, of name: HTTPOrigin, from former: Int) {
        let first = hosts[name]?.unreported?.former ?? former
        hosts[name]?.unreported = (first, reason)
    }

    /// What to report now. Many changes of a host in a row are one.
    ///
    /// - Parameters:
    ///   - pause: how long after the last report of a host.
    ///   - limit: how many of a host's downloads may run.
    mutating func takeReports(after pause: Duration, _ now: Duration, limit: (Int) -> Int?) -> [ConcurrencyChange] {
        var changes: [ConcurrencyChange] = []
        for (name, host) in hosts {
            guard let change = host.unreported, host.reported.map({ now - $0 >= pause }) ?? true else { continue }
            hosts[name]?.unreported = nil
            hosts[name]?.reported = now
            guard let limit = limit(host.number), limit != change.former else { continue }
            let (former, reason) = change
            let report = ConcurrencyChange(limit: limit, former: former, reason: reason, host: name.description)
            changes.append(report)
        }
        return changes
    }

    /// Notes how many downloads at once are right for now. Returns the host that the process should know this of.
    mutating func learn(_ count: Int?) -> HTTPOrigin? {
        guard let count, count != learned, let only else { return nil }
        learned = count
        return only
    }
}
