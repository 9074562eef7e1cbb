/// What has come from a host since the last look.
package struct HostFacts: Sendable {
    /// A number by which the caller knows the host.
    package let host: Int
    package let bytes: Int
    /// How many of its downloads run.
    package let running: Int
    /// Whether something else than their number set the pace: none waits, a rate is limited, or the disk is slow.
    package let isHeldBack: Bool

    package init(host: Int, bytes: Int, running: Int, isHeldBack: Bool) {
        (self.host, self.bytes, self.running, self.isHeldBack) = (host, bytes, running, isHeldBack)
    }
}

/// Another number of a host's downloads may run.
package struct HostChange: Sendable, Hashable {
    package enum Cause: Sendable {
        /// The host has collapsed: end the latest, for it punishes all while they are there.
        case collapse
        /// The host has turned requests away. It serves the others.
        case turnedAway
        /// Whether it bears more.
        case trial
    }

    package let host: Int
    /// `nil` if any number may.
    package let limit: Int?
    package let cause: Cause
}

/// The hosts that are in use, each with its ``HostPace``.
struct HostPaces: Sendable {
    private var hosts: [Int: HostPace] = [:]

    /// Whether a host may be about to collapse. The next windows will tell.
    var isAnySuspect: Bool { hosts.values.contains(where: \.isSuspect) }

    /// What is known of a host that was used before.
    ///
    /// - Parameter limit: how many it has borne, if it has collapsed with more.
    mutating func expect(_ limit: Int, of host: Int, now: Duration) { hosts[host] = HostPace(limit: limit, now: now) }

    func limit(of host: Int) -> Int? { hosts[host]?.limit }

    /// A host has turned a request away. Returns what may run from now on, if that has changed.
    mutating func turnedAway(_ host: Int, running: Int, _ now: Duration) -> HostChange? {
        guard hosts[host]?.turnedAway(running, now) ?? false else { return nil }
        return HostChange(host: host, limit: hosts[host]?.limit, cause: .turnedAway)
    }

    /// A download of a host has ended.
    mutating func ended(_ host: Int?) {
        for key in hosts.keys { hosts[key]?.ended(isOwn: key == host) }
    }

    /// Forgets all hosts but these.
    ///
    /// - Parameters:
    ///   - bytes: how many have come from all.
    ///   - running: how many downloads run.
    mutating func tick(
        _ facts: [HostFacts],
        bytes: Int,
        running: Int,
        _ answers: TypicalAnswer,
        _ now: Duration
    ) -> [HostChange] {
        var (known, changes): ([Int: HostPace], [HostChange]) = ([:], [])
        for fact in facts {
            var pace = hosts[fact.host] ?? HostPace(now: now)
            let former = pace.limit
            let isCollapse = pace.tick(fact, bytes: bytes, running: running, answers, now)
            known[fact.host] = pace
            if isCollapse || pace.limit != former {
                let cause = isCollapse ? HostChange.Cause.collapse : .trial
                changes.append(HostChange(host: fact.host, limit: pace.limit, cause: cause))
            }
        }
        hosts = known
        return changes
    }
}
