import Foundation
import TestSupport
import Testing

@testable import spate_benchmark

@Suite struct StopwatchTests {
    @Test func aSmallProgramsPeakIsItsOwn() async throws {
        let folder = try TemporaryFolder()
        let cost = try await StopwatchRun("/bin/sh", ["-c", ":"], scratch: folder.path).cost()
        // This process has tens of megabytes, which the kernel would count for what it starts itself.
        let limit = (Sanitizer.isPresent ? 200 : 8) << 20
        #expect(cost.peakBytes > 100_000 && cost.peakBytes < limit)
        #expect(cost.wallSeconds > 0)
    }

    @Test func timeAndMemoryThatAreUsedAreCounted() async throws {
        let folder = try TemporaryFolder()
        let program = "head -c 300000000 /dev/zero | tail -c 30000000 | wc -c"
        let cost = try await StopwatchRun("/bin/sh", ["-c", program], scratch: folder.path).cost()
        #expect(cost.peakBytes > 28 << 20)
        #expect(cost.processorSeconds > 0.005)
    }

    @Test func aProgramThatIsKilledIsMeasuredUntilThen() async throws {
        let folder = try TemporaryFolder()
        let run = try StopwatchRun("/bin/sh", ["-c", "echo here > started; exec sleep 1000"], scratch: folder.path)
        try await run.wait(until: { access(folder.path("started"), F_OK) == 0 }, orFailWith: "it never began")
        run.kill()
        let cost = try await run.cost(endsWith: .status(128 + SIGKILL))
        #expect(cost.wallSeconds > 0 && cost.wallSeconds < 60)
    }

    @Test func anotherEndThanTheOneExpectedIsAFailureWithWhatWasSaid() async throws {
        let folder = try TemporaryFolder()
        let run = try StopwatchRun("/bin/sh", ["-c", "echo because >&2; exit 3"], scratch: folder.path)
        let failure = await #expect(throws: WorkFailure.self) { try await run.cost() }
        #expect(failure?.description.contains("because") == true && failure?.description.contains("3") == true)
    }

    @Test func aSlowDiskTakesItsTimeForFilesAndForNothingElse() async throws {
        let folder = try TemporaryFolder()
        let toFile = "head -c 2000000 /dev/zero > \(folder.path("file"))"
        let slow = try StopwatchRun("/bin/sh", ["-c", toFile], scratch: folder.path, diskSpeed: 4_000_000)
        #expect(try await slow.cost().wallSeconds > 0.4)
        let toPipe = "head -c 200000000 /dev/zero | cat > /dev/null; exit 7"
        let other = try StopwatchRun("/bin/sh", ["-c", toPipe], scratch: folder.path, diskSpeed: 4_000_000)
        #expect(try await other.cost(endsWith: .status(7)).wallSeconds < 40)
    }
}
