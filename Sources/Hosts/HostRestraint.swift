package import SpateHTTPSyntax

/// Limits the requests to a host after it has refused some with 429 or 503.
///
/// It has no clock. Each call states its time, counted from any moment.
package struct HostRestraint {
    package typealias Time = Duration

    /// A refused request.
    package struct Refusal {
        /// The host that answered.
        package let host: HTTPOrigin
        /// How long the host asks to wait.
        package let wait: Duration?
        /// Whether the refusal concerns the whole host: a 503 without a time may concern its URL only.
        package let isOfHost: Bool

        package init(host: HTTPOrigin, wait: Duration?, isOfHost: Bool) {
            (self.host, self.wait, self.isOfHost) = (host, wait, isOfHost)
        }
    }

    /// When the host accepts requests again, if it said so.
    private(set) var quietUntil: Time?
    /// The number of allowed connections since the last halving, and the number before the first halving.
    private var allowed: (count: Int, before: Int)?
    private var lastRefusal: (time: Time, download: ObjectIdentifier)?
    private var lastHalving: Time?

    /// An attempt was refused.
    ///
    /// - Parameters:
    ///   - began: when the attempt began. Refused attempts that ran at the last halving count as part of it.
    ///   - running: the number of connections to this host, including this attempt's.
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

    /// A helper was refused. Its download reduces its connections itself.
    mutating func noteWait(_ refusal: Refusal, now: Time) {
        settle(now)
        noteQuiet(refusal, now: now)
    }

    private mutating func noteQuiet(_ refusal: Refusal, now: Time) {
        guard let wait = refusal.wait else { return }
        quietUntil = max(quietUntil ?? .zero, now + wait)
    }

    func isQuiet(_ now: Time) -> Bool { quietUntil.map { now < $0 } ?? false }

    /// The most connections at once; `nil` for no limit.
    func limit(_ now: Time) -> Int? {
        guard let allowed else { return nil }
        let count = allowed.count + regained(now)
        return count < allowed.before ? count : nil
    }

    /// Whether no restraint is left.
    func isOver(_ now: Time) -> Bool {
        !isQuiet(now) && limit(now) == nil && (lastRefusal == nil || regained(now) > 0)
    }

    /// When the restraint changes by itself; `nil` if it is over.
    func nextChange(after now: Time) -> Time? {
        if isOver(now) { return nil }
        if let quietUntil, now < quietUntil { return quietUntil }
        return quietSince + QuietTime.next(now - quietSince)
    }

    /// Makes the regained connections permanent, whatever happens next.
    private mutating func settle(_ now: Time) {
        if let limit = limit(now) { allowed?.count = limit } else { allowed = nil }
    }

    private var quietSince: Time { max(lastRefusal?.time ?? .zero, quietUntil ?? .zero) }

    private func regained(_ now: Time) -> Int { QuietTime.regained(now - quietSince) }
}
