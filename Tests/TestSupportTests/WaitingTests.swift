import TestSupport
import Testing

struct WaitingTests {
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

    @Test func aWaitThatHangsSaysWhatWasThereInstead() async throws {
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
                // A task of its own is not cancelled with the one that waits for it.
                await Task { for await _ in stream {} }.value
            }
        }
        release.finish()
    }
}
