import SpateLocking
import SpateTestSupport
import Testing

struct TurnsTests {
    @Test func onlySoManyHaveTheirTurnAtATime() async throws {
        let turns = Turns(atATime: 3)
        let most = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await turns.take {
                        most.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        // Gives the others every chance to come too.
                        for _ in 0..<20 { await Task.yield() }
                        most.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0.most } == 3)
    }

    @Test func whatIsCancelledBeforeItsTurnLeavesTheQueueAndWhatThrowsGivesItsTurnBack() async throws {
        let turns = Turns(atATime: 1)
        await #expect(throws: CancellationError.self) {
            try await turns.take {
                let late = Task { try await turns.take { _ = Issue.record("it had its turn") } }
                try await eventually("it waits") { turns.waiting == 1 }
                late.cancel()
                try await late.value
            }
        }
        #expect(try await turns.take { turns.waiting == 0 })
    }

    /// Such as this one: a server that it started would report it.
    @Test func aTestThatTakesNoTurnsIsKnown() {
        #expect(TurnsTrait.isMissing)
    }
}

/// The trait itself, and the turns that all tests share.
@Suite(.takesTurns) struct TurnsTraitTests {
    @Test(.mostlyWaits) func aTestMayWaitInASuiteThatWorks() {
        #expect(TurnsTrait.current === Turns.toWait)
    }

    @Suite(.takesTurns) struct Inner {
        /// On one core it would wait for itself for ever.
        @Test(.takesTurns, arguments: 0..<3) func aTestHasOneTurn(case: Int) {
            #expect(TurnsTrait.current === Turns.toWork)
        }
    }
}
