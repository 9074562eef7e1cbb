import TestSupport
import Testing

struct WaitingTests {
    @Test func aWaitThatHangsSaysWhatWasThereInstead() async throws {
        let error = await #expect(throws: DeadlineExceeded.self) {
            try await Watched("something").wait(for: "nothing", until: \.isEmpty, within: .milliseconds(10))
        }
        #expect(error?.description.contains("nothing; there was something") == true)
        #expect(error?.place.hasPrefix("TestSupportTests/WaitingTests.swift:") == true)
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
