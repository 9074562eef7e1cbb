import Testing

@testable import Spate

@Suite struct SyncScheduleTests {
    private var schedule = SyncSchedule(losingAtMost: .seconds(10), isInMemory: false)
    private var written: Int64 = 0

    private mutating func begins(at offset: Int64, after seconds: Int = 0) -> Bool {
        defer { written = offset }
        return schedule.begins(after: Int(offset - written), now: .seconds(seconds))
    }

    @Test mutating func twoSyncsFitIntoWhatMayBeLost() {
        #expect(!begins(at: 1_000))
        #expect(!begins(at: 2_000, after: 3))
        #expect(begins(at: 3_000, after: 4))
        schedule.ended()
        #expect(!begins(at: 4_000, after: 7))
        #expect(begins(at: 5_000, after: 8))
    }

    @Test mutating func oneSyncIsUnderWayAtATime() {
        _ = begins(at: 1_000)
        #expect(begins(at: 1_000, after: 10))
        #expect(!begins(at: 1_000, after: 60))
        schedule.ended()
        #expect(begins(at: 1_000, after: 60))
    }

    @Test mutating func aFastDownloadIsSyncedBeforeTheIntervalIsOver() {
        let most = SyncSchedule.mostUnsynced
        #expect(!begins(at: 5_000))
        #expect(!begins(at: most - 1))
        #expect(begins(at: most))
        schedule.ended()
        #expect(!begins(at: 2 * most - 1))
        #expect(begins(at: 2 * most))
    }

    @Test mutating func inMemoryTheIntervalCountsAlone() {
        schedule = SyncSchedule(losingAtMost: .seconds(10), isInMemory: true)
        #expect(!begins(at: 5_000))
        #expect(!begins(at: 2 * SyncSchedule.mostUnsynced, after: 3))
        #expect(begins(at: 2 * SyncSchedule.mostUnsynced, after: 4))
    }
}
