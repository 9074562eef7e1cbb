/// Token bucket that several members share fairly. Others get what a member does not use.
///
/// It has no clock and no lock. Each call states its time, counted from any moment.
///
/// Fairness is max-min, by virtual time as in fair queueing. Each member counts what it received. Tokens raise the
/// lowest counts of the members that want more, as water fills a vessel. A member that returns after a while starts at
/// the others' level, so it cannot save up tokens.
struct FairBucket {
    typealias Time = Duration

    private struct Member {
        /// What the member received, as a virtual time.
        var served = 0.0
        /// When it last received less than it wanted; `nil` if it received everything.
        var refused: Time?
    }

    /// How long tokens accumulate. Late members catch up with them. They also bound the burst above the rate.
    static let depth = Duration.milliseconds(200)
    /// A refused member asks again after this time.
    static let pause = Duration.milliseconds(25)
    /// After this time, no tokens are kept for a refused member.
    private static let patience = Duration.milliseconds(200)

    /// `nil` for no limit.
    private(set) var bytesPerSecond: Int64?
    private var tokens = 0.0
    private var filled = Time.zero
    private var members: [Int: Member] = [:]
    private var lastID = 0
    /// The count at which the latest grant began.
    private var level = 0.0

    /// Starts with an empty bucket, or with its content if there was a limit before.
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

    /// How much of `wanted` the member may have now. If it is less, the member should ask again after ``pause``.
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

    /// Returns the unused part of the last grant.
    mutating func giveBack(_ count: Int) {
        guard bytesPerSecond != nil else { return }
        tokens = min(tokens + Double(count), capacity)
    }

    /// At least a byte for each member, however slow the rate is.
    private var capacity: Double {
        max(Double(bytesPerSecond ?? 0) * (Self.depth / .seconds(1)), Double(members.count))
    }

    private mutating func fill(now: Time) {
        guard let bytesPerSecond, now > filled else { return }
        tokens = min(tokens + Double(bytesPerSecond) * ((now - filled) / .seconds(1)), capacity)
        filled = now
    }

    private func isWaiting(_ member: Member, now: Time) -> Bool {
        member.refused.map { now - $0 < Self.patience } ?? false
    }

    /// The member's share of the tokens beside the waiting members.
    private func share(of member: Member, now: Time) -> Double {
        var counts = [member.served]
        for other in members.values where isWaiting(other, now: now) { counts.append(other.served) }
        // The level to which the tokens raise the lowest counts. A member whose count is above it receives nothing.
        while true {
            let level = (tokens + counts.reduce(0, +)) / Double(counts.count)
            let below = counts.filter { $0 <= level }
            if below.count == counts.count { return max(0, level - member.served) }
            counts = below
            if !counts.contains(member.served) { return 0 }
        }
    }
}
