import Locking
import Synchronization

/// How many bytes per second all transfers with a share of it receive together.
package final class RateLimit: Sendable {
    private let bucket = Locked(FairBucket())
    /// Without a limit nobody takes the lock.
    private let hasRate = Atomic(false)
    private let start = ContinuousClock.now

    package init(_ bytesPerSecond: Int64? = nil) {
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

    private var now: Duration { ContinuousClock.now - start }

    fileprivate func join() -> Int { bucket.withLock { $0.join() } }
    fileprivate func leave(_ id: Int) { bucket.withLock { $0.leave(id) } }

    fileprivate func take(_ wanted: Int, for id: Int) -> Int {
        isSet ? bucket.withLock { $0.take(wanted, for: id, now: now) } : wanted
    }

    fileprivate func giveBack(_ count: Int, of id: Int) {
        if isSet { bucket.withLock { $0.giveBack(count, of: id) } }
    }

    fileprivate func withdraw(_ id: Int) {
        if isSet { bucket.withLock { $0.withdraw(id) } }
    }
}

/// A download's share of a common limit, and its own limit. Its connections share it.
package final class RateShare: Sendable {
    private let common: RateLimit
    private let own: RateLimit
    private let id: Int
    private let ownID: Int

    /// After a refusal, ask again when this has passed.
    static let pause = FairBucket.pause

    package init(of common: RateLimit, ownLimit bytesPerSecond: Int64? = nil) {
        self.common = common
        own = RateLimit(bytesPerSecond)
        id = common.join()
        ownID = own.join()
    }

    deinit {
        common.leave(id)
    }

    /// The limit of this download alone.
    package var ownLimit: Int64? {
        get { own.bytesPerSecond }
        set { own.bytesPerSecond = newValue }
    }

    /// Whether there is any limit.
    package var isLimited: Bool { own.isSet || common.isSet }

    /// How many of these bytes may be received now.
    func take(_ wanted: Int) -> Int {
        let allowed = own.take(wanted, for: ownID)
        guard allowed > 0 else {
            // Held back by its own limit, it leaves the common one to others.
            common.withdraw(id)
            return 0
        }
        let granted = common.take(allowed, for: id)
        if granted < allowed { own.giveBack(allowed - granted, of: ownID) }
        return granted
    }
}
