import Testing

@testable import spate_benchmark

@Suite struct StopwatchTests {
    @Test func timeMemoryAndSwitchesThatAreUsedAreCounted() async throws {
        let folder = try TemporaryFolder()
        let small = try await StopwatchRun("/bin/sh", ["-c", ":"], scratch: folder.path).cost()
        // This process has tens of megabytes, which the kernel would count for what it starts itself.
        #expect(small.peakBytes > 100_000 && small.peakBytes < 8 << 20 && small.wallSeconds > 0)
        let program = "head -c 300000000 /dev/zero | tail -c 30000000 | wc -c"
        let large = try await StopwatchRun("/bin/sh", ["-c", program], scratch: folder.path).cost()
        #expect(large.peakBytes > 28 << 20 && large.processorSeconds > 0.005)
        // Thousands of full pipes, each a reason to wait.
        let switches = (small: try #require(small.contextSwitches), large: try #require(large.contextSwitches))
        #expect(switches.large > switches.small + 100)
    }
}
