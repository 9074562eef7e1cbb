import TestSupport
import Testing

struct WaitingTests {
    @Test func aRecorderWakesItsWaiterWithTheValues() async throws {
        let recorder = Recorder<Int>()
        async let values = recorder.wait(until: { $0.contains(3) })
        for number in 1...3 { recorder.append(number) }
        #expect(try await values == [1, 2, 3])
        #expect(try await recorder.wait(forCount: 2).count == 3)
    }

    @Test func aThousandWaitersAreAllWoken() async throws {
        let watched = Watched(0)
        try await withThrowingTaskGroup { group in
            for number in 1...1_000 {
                group.addTask { _ = try await watched.wait(until: { $0 >= number }) }
                group.addTask { watched.update { $0 += 1 } }
            }
            try await group.waitForAll()
        }
        #expect(watched.value == 1_000)
    }

    @Test func aWaitInVainSaysWhatWasThereInstead() async throws {
        let error = await #expect(throws: DeadlineExceeded.self) {
            try await Watched("something").wait(for: "nothing", until: \.isEmpty, within: .milliseconds(10))
        }
        #expect(error?.description.contains("nothing; there was something") == true)
        #expect(error?.place.hasPrefix("TestSupportTests/WaitingTests.swift:") == true)
    }

    @Test func aCancelledWaitEnds() async throws {
        let watched = Watched(false)
        let task = Task { try await watched.wait(until: { $0 }) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aDeadlineEndsEvenWhatIgnoresCancellation() async throws {
        let (stream, release) = AsyncStream<Void>.makeStream()
        await #expect(throws: DeadlineExceeded.self) {
            try await withDeadline(.milliseconds(20)) {
                // A task of its own does not hear of the cancellation.
                await Task { for await _ in stream {} }.value
            }
        }
        release.finish()
    }

    @Test func aDeadlineHandsOnResultAndError() async throws {
        #expect(try await withDeadline { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await withDeadline { throw CancellationError() }
        }
    }

    @Test func anOpenGateLetsEveryonePass() async throws {
        let gate = try Gate()
        gate.open()
        gate.pass()
        gate.pass()
        try await gate.reached(times: 2)
    }
}
