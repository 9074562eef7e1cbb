/// Token bucket that several members share fairly: what one does not use, others get.
///
/// It has no clock and no lock. Each call says when it happens, counted from any moment.
///
/// Fairness is max-min, by virtual time as in fair queueing. Each member has a count of what it got. Tokens raise the
/// lowest counts of the members that want more, as water does. A member that comes back after a while begins at the
/// others' level, so that it saves nothing up.
struct FairBucket {
    typealias Time = Duration

    private struct Member {
        /// What it got, as a virtual time.
        var served = 0.0
        /// When it last got less than it wanted; `nil` if it got everything.
        var refused: Time?
    }

    /// How long tokens gather. A member that is late catches up with them. They also bound the burst above the rate.
    static let depth = Duration.milliseconds(200)
    /// A refused member asks again after this.
    static let pause = Duration.milliseconds(25)
    /// After this, no tokens are kept for a refused member that has not asked again.
    private static let patience = Duration.milliseconds(200)

    /// `nil` for no limit.
    private(set) var bytesPerSecond: Int64?
    private var tokens = 0.0
    private var filled = Time.zero
    private var members: [Int: Member] = [:]
    private var lastID = 0
    /// The count at which the latest grant began.
    private var level = 0.0

    /// A change begins with an empty bucket, or with what is in it if there was a limit before.
    mutating func limit(to rate: Int64?, now: Time) {
        if bytesPerSecond == nil { (tokens, filled) = (0, now) } else { fill(now: now) }
        bytesPerSecond = rate.map { max(1, $0) }
        tokens = min(tokens, capacity)
    }

    mutating func join() -> Int {
        lastID += 1
        members[lastID] = Member()
        return lastID
    }

    mutating func leave(_ id: Int) {
        members[id] = nil
    }

    /// How much of `wanted` the member may have now. If it is less, it should ask again after ``pause``.
    mutating func take(_ wanted: Int, for id: Int, now: Time) -> Int {
        guard bytesPerSecond != nil, var member = members[id], wanted > 0 else { return wanted }
        fill(now: now)
        if !isWaiting(member, now: now) { member.served = max(member.served, level) }
        members[id]?.refused = nil
        let granted = min(wanted, Int(share(of: member, now: now)))
        if granted > 0 { level = max(level, member.served) }
        member.served += Double(granted)
        member.refused = granted < wanted ? now : nil
        members[id] = member
        tokens -= Double(granted)
        return granted
    }

    /// A part of what was taken last is not used.
    mutating func giveBack(_ count: Int) {
        guard bytesPerSecond != nil else { return }
        tokens = min(tokens + Double(count), capacity)
    }

    /// At least a byte for each, however slow the rate is.
    private var capacity: Double { max(Double(bytesPerSecond ?? 0) * Self.depth.seconds, Double(members.count)) }

    private mutating func fill(now: Time) {
        guard let bytesPerSecond, now > filled else { return }
        tokens = min(tokens + Double(bytesPerSecond) * (now - filled).seconds, capacity)
        filled = now
    }

    private func isWaiting(_ member: Member, now: Time) -> Bool {
        member.refused.map { now - $0 < Self.patience } ?? false
    }

    /// Its share of the tokens beside the members that wait.
    private func share(of member: Member, now: Time) -> Double {
        var counts = [member.served]
        for other in members.values where isWaiting(other, now: now) { counts.append(other.served) }
        // The level to which the tokens raise the lowest counts. A member whose count is above it gets nothing.
        while true {
            let level = (tokens + counts.reduce(0, +)) / Double(counts.count)
            let below = counts.filter { $0 <= level }
            if below.count == counts.count { return max(0, level - member.served) }
            counts = below
            if !counts.contains(member.served) { return 0 }
        }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
