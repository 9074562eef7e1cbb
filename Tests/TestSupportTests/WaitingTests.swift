import SpateTestSupport
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
                // An unstructured task is not cancelled with the task that waits for it.
                await Task { for await _ in stream {} }.value
            }
        }
        release.finish()
    }

    @Test func contentIsTheSameForTheSameSeedAndNeverRepeats() {
        let content = TestBytes.random(count: 1_000_003, seed: 7)
        #expect(TestBytes.difference(content, from: TestBytes.random(count: 1_000_003, seed: 7)) == nil)
        #expect(TestBytes.difference(content, from: TestBytes.random(count: 1_000_003, seed: 8)) != nil)
        for shift in [1, 512, 4_096, 65_528, 65_536, 131_056] {
            let (later, earlier) = (content[shift...], content[..<(content.count - shift)])
            #expect(TestBytes.difference(later, from: earlier) != nil, "a shift by \(shift) shows")
        }
    }
}
