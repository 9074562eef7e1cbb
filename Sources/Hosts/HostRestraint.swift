package import HTTPSyntax

/// How much a host is asked, because it has refused requests with 429 or 503.
///
/// It has no clock. Each call says when it happens, counted from any moment.
package struct HostRestraint {
    package typealias Time = Duration

    /// A request that a host has refused.
    package struct Refusal {
        /// What answered.
        package let host: HTTPOrigin
        /// How long it asks to wait.
        package let wait: Duration?
        /// Whether it says something of the host: a 503 without a time may be of its URL alone.
        package let isOfHost: Bool

        package init(host: HTTPOrigin, wait: Duration?, isOfHost: Bool) {
            (self.host, self.wait, self.isOfHost) = (host, wait, isOfHost)
        }
    }

    /// When the host may be asked again, if it said so.
    private(set) var quietUntil: Time?
    /// How many may connect at once since the last halving, and how many did before the first one.
    private var allowed: (count: Int, before: Int)?
    private var lastRefusal: (time: Time, download: ObjectIdentifier)?
    private var lastHalving: Time?

    /// An attempt was refused.
    ///
    /// - Parameters:
    ///   - began: when the attempt began. Those that were under way at the last halving count with it.
    ///   - running: how many connect to this host, with this attempt.
    mutating func note(
        _ refusal: Refusal,
        of download: ObjectIdentifier,
        began: Time,
        running: Int,
        now: Time
    ) {
        settle(now)
        let isRepeated = lastRefusal != nil && !isOver(now) && (refusal.isOfHost || lastRefusal?.download != download)
        if isRepeated, lastHalving.map({ began >= $0 }) ?? true {
            let before = max(allowed.map { max($0.before, running) } ?? running, 1)
            allowed = (max(1, running / 2), before)
            lastHalving = now
        }
        noteQuiet(refusal, now: now)
        lastRefusal = (now, download)
    }

    /// A helper was refused. Its download has fewer by itself.
    mutating func noteWait(_ refusal: Refusal, now: Time) {
        settle(now)
        noteQuiet(refusal, now: now)
    }

    private mutating func noteQuiet(_ refusal: Refusal, now: Time) {
        guard let wait = refusal.wait else { return }
        quietUntil = max(quietUntil ?? .zero, now + wait)
    }

    func isQuiet(_ now: Time) -> Bool { quietUntil.map { now < $0 } ?? false }

    /// How many may connect at once; `nil` if nothing limits them.
    func limit(_ now: Time) -> Int? {
        guard let allowed else { return nil }
        let count = allowed.count + regained(now)
        return count < allowed.before ? count : nil
    }

    /// Whether nothing is left of it.
    func isOver(_ now: Time) -> Bool {
        !isQuiet(now) && limit(now) == nil && (lastRefusal == nil || regained(now) > 0)
    }

    /// When this changes by itself; `nil` if it is over.
    func nextChange(after now: Time) -> Time? {
        if isOver(now) { return nil }
        if let quietUntil, now < quietUntil { return quietUntil }
        return quietSince + QuietTime.next(now - quietSince)
    }

    /// What was given back stays so, whatever comes.
    private mutating func settle(_ now: Time) {
        if let limit = limit(now) { allowed?.count = limit } else { allowed = nil }
    }

    private var quietSince: Time { max(lastRefusal?.time ?? .zero, quietUntil ?? .zero) }

    private func regained(_ now: Time) -> Int { QuietTime.regained(now - quietSince) }
}
