import SpateLocking
import Synchronization

/// A common limit, in bytes per second, for all transfers that have a share of it.
package final class RateLimit: Sendable {
    private let bucket = Locked(FairBucket())
    /// Without a limit, nobody takes the lock.
    private let hasRate = Atomic(false)
    fileprivate let clock: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    /// The bytes of all that have a share of it, limited or not.
    package let arrived = ArrivalCount()

    package init(
        _ bytesPerSecond: Int64? = nil,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.clock, start) = (clock, clock())
        self.bytesPerSecond = bytesPerSecond
    }

    /// At least 1; `nil` for no limit. A change takes effect at once.
    package var bytesPerSecond: Int64? {
        get { bucket.withLock { $0.bytesPerSecond } }
        set {
            bucket.withLock { bucket in
                bucket.limit(to: newValue, now: now)
                hasRate.store(newValue != nil, ordering: .relaxed)
            }
        }
    }

    fileprivate var isSet: Bool { hasRate.load(ordering: .relaxed) }

    private var now: Duration { clock() - start }

    /// The number of a member. A member joins with its first request for bytes: most downloads never have a limit.
    fileprivate func member(_ id: borrowing Atomic<Int>) -> Int {
        let known = id.load(ordering: .relaxed)
        if known != 0 { return known }
        let new = bucket.withLock { $0.join() }
        let (isNew, other) = id.compareExchange(expected: 0, desired: new, ordering: .relaxed)
        if isNew { return new }
        leave(new)
        return other
    }

    fileprivate func leave(_ id: Int) { bucket.withLock { $0.leave(id) } }

    fileprivate func take(_ wanted: Int, for id: Int) -> Int {
        isSet ? bucket.withLock { $0.take(wanted, for: id, now: now) } : wanted
    }

    fileprivate func giveBack(_ count: Int) {
        if isSet { bucket.withLock { $0.giveBack(count) } }
    }
}

/// A download's share of a common limit, and its own limit. Its connections share it.
package final class RateShare: Sendable {
    private let common: RateLimit
    /// Created when first set: few downloads have their own limit.
    private let own = AtomicLazyReference<RateLimit>()
    /// 0 before it joins.
    private let id = Atomic(0)
    private let ownID = Atomic(0)

    /// After a refusal, ask again after this time.
    package static let pause = FairBucket.pause

    package init(of common: RateLimit, ownLimit bytesPerSecond: Int64? = nil) {
        self.common = common
        if let bytesPerSecond { ownLimit = bytesPerSecond }
    }

    deinit {
        let id = id.load(ordering: .relaxed)
        if id != 0 { common.leave(id) }
    }

    /// The limit of this download alone.
    package var ownLimit: Int64? {
        get { own.load()?.bytesPerSecond }
        set {
            if newValue == nil, own.load() == nil { return }
            own.storeIfNil(RateLimit(clock: common.clock)).bytesPerSecond = newValue
        }
    }

    /// Whether there is any limit.
    package var isLimited: Bool { common.isSet || own.load()?.isSet ?? false }

    /// Bytes of a body have come.
    package func noteArrival(_ count: Int) { common.arrived.note(count) }

    /// How many of these bytes to receive now.
    package func take(_ wanted: Int) -> Int {
        guard isLimited else { return wanted }
        let id = common.member(id)
        guard let own = own.load() else { return common.take(wanted, for: id) }
        let allowed = own.take(wanted, for: own.member(ownID))
        let granted = common.take(allowed, for: id)
        if granted < allowed { own.giveBack(allowed - granted) }
        return granted
    }
}
