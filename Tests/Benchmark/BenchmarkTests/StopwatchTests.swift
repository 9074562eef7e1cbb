import Foundation
import TestSupport
import Testing

@testable import spate_benchmark

@Suite(.takesTurns) struct StopwatchTests {
    @Test func timeAndMemoryThatAreUsedAreCounted() async throws {
        let folder = try TemporaryFolder()
        let small = try await StopwatchRun("/bin/sh", ["-c", ":"], scratch: folder.path).cost()
        // This process has tens of megabytes, which the kernel would count for what it starts itself.
        let limit = (Sanitizer.isPresent ? 200 : 8) << 20
        #expect(small.peakBytes > 100_000 && small.peakBytes < limit && small.wallSeconds > 0)
        let program = "head -c 300000000 /dev/zero | tail -c 30000000 | wc -c"
        let large = try await StopwatchRun("/bin/sh", ["-c", program], scratch: folder.path).cost()
        #expect(large.peakBytes > 28 << 20 && large.processorSeconds > 0.005)
    }

    @Test func aSlowDiskTakesItsTimeForFiles() async throws {
        let folder = try TemporaryFolder()
        let toFile = "head -c 2000000 /dev/zero > \(folder.path("file"))"
        let slow = try StopwatchRun("/bin/sh", ["-c", toFile], scratch: folder.path, diskSpeed: 4_000_000)
        #expect(try await slow.cost().wallSeconds > 0.4)
    }
}
