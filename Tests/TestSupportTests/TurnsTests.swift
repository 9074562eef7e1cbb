import Locking
import TestSupport
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

    @Test func theyComeInTheirOrder() async throws {
        let scene = Scene(atATime: 1)
        try await scene.begin("first")
        for name in ["second", "third", "fourth"] { try await scene.queue(name) }
        scene.end("first")
        for name in ["second", "third", "fourth"] {
            try await scene.begun.wait(until: { $0.last == name })
            scene.end(name)
        }
        #expect(scene.begun.values == ["first", "second", "third", "fourth"])
    }

    @Test func whatIsCancelledBeforeItsTurnLeavesTheQueue() async throws {
        let scene = Scene(atATime: 1)
        try await scene.begin("first")
        let cancelled = try await scene.queue("cancelled")
        try await scene.queue("later")
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        scene.end("first")
        try await scene.begun.wait(until: { $0 == ["first", "later"] })
        scene.end("later")
        // Everything is free again.
        try await scene.begin("last")
        scene.end("last")
    }

    @Test func whatComesCancelledHasNoTurn() async throws {
        let turns = Turns(atATime: 1)
        try await turns.take {
            let late = Task { try await turns.take { Issue.record("it had its turn") } }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
        #expect(turns.waiting == 0)
    }

    /// Such as this one: a server that it started would report it.
    @Test func aTestThatTakesNoTurnsIsKnown() {
        #expect(TurnsTrait.isMissing)
    }

    @Test func whatThrowsGivesItsTurnBack() async throws {
        let turns = Turns(atATime: 1)
        await #expect(throws: CancellationError.self) { try await turns.take { throw CancellationError() } }
        #expect(try await turns.take { true })
    }
}

/// Works that begin when they have their turn, and end when the test says so.
private final class Scene: Sendable {
    let turns: Turns
    let begun = Recorder<String>()
    private let ended = Watched<Set<String>>([])

    init(atATime: Int) {
        turns = Turns(atATime: atATime)
    }

    func end(_ name: String) {
        ended.update { _ = $0.insert(name) }
    }

    /// Returns when it has its turn.
    func begin(_ name: String) async throws {
        start(name)
        try await begun.wait(until: { $0.last == name })
    }

    /// Returns when it stands in the queue.
    @discardableResult
    func queue(_ name: String) async throws -> Task<Void, any Error> {
        let before = turns.waiting
        let task = start(name)
        try await eventually("\(name) waits") { turns.waiting == before + 1 }
        return task
    }

    @discardableResult
    private func start(_ name: String) -> Task<Void, any Error> {
        Task {
            try await turns.take {
                begun.append(name)
                try await ended.wait(until: { $0.contains(name) })
            }
        }
    }
}

/// The trait itself, and the turns that all tests share.
@Suite(.takesTurns) struct TurnsTraitTests {
    @Test func aTestHasTheTurnOfItsSuite() {
        #expect(TurnsTrait.current === Turns.toWork && !TurnsTrait.isMissing)
    }

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
