import SpateLocking
import Testing

/// Debug builds check the order of locks.
@Suite struct LockRankTests {
    @Test(arguments: LockRank.allCases)
    func aLockIsTakenBeforeThoseThatFollowIt(rank: LockRank) {
        let outer = Locked(0, rank)
        for inner in LockRank.allCases where inner.rawValue > rank.rawValue {
            let result = outer.withLock { outer in Locked(1, inner).withLock { outer + $0 } }
            #expect(result == 1)
        }
        // When it is released, any may be taken.
        #expect(Locked(2, LockRank.digest).withLock { $0 } == 2)
    }

    @Test func aLockOutOfItsOrderEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            Locked(0, LockRank.download).withLock { _ in Locked(0, LockRank.feed).withLock { _ in } }
        }
        await #expect(processExitsWith: .failure) {
            Locked(0, LockRank.download).withLock { _ in Locked(0, LockRank.download).withLock { _ in } }
        }
    }
}
