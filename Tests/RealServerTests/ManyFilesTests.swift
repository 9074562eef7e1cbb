import Foundation
import SpateTestSupport
import Testing

/// Memory and speed of one long loop over results. By hand, for a million: `swift run -c release SpateManyFiles 1000000`.
@Suite(.takesTurns, .needsNginx) struct ManyFilesTests {
    private static let count = 20_000
    private static let mostMebibytes = 100.0

    /// What the program prints of each twentieth.
    private struct Line {
        let files: Int
        let processorSeconds: Double
        let mebibytes: Double

        init?(_ text: Substring) {
            let words = text.split(separator: " ")
            guard words.count == 4, let files = Int(words[0]), let processorSeconds = Double(words[2]),
                let mebibytes = Double(words[3])
            else { return nil }
            (self.files, self.processorSeconds, self.mebibytes) = (files, processorSeconds, mebibytes)
        }
    }

    @Test func neitherTheMemoryNorTheTimeOfAFileGrowsOnTheWay() async throws {
        let child = try ChildProcess(BuiltProgram.path("SpateManyFiles"), ["\(Self.count)"])
        let exit = try await child.waitForExit()
        #expect(exit == .status(0), "\(child.errors.suffix(1_000))")
        let lines = child.output.split(separator: "\n").compactMap { Line($0) }
        try #require(lines.count == 20 && lines.last?.files == Self.count, "\(child.output)")
        #expect(lines[19].mebibytes < Self.mostMebibytes, "\(child.output)")
        // After a tenth all threads, buffers and tables are there.
        let growth = (lines[19].mebibytes - lines[1].mebibytes) * 1_048_576 / Double(Self.count) * 20 / 18
        #expect(growth < 200, "\(growth) bytes for each file: \(child.output)")
        // Not the time on the clock: other tests may begin, or end, in the middle.
        let times = zip(lines, lines.dropFirst()).map { $1.processorSeconds - $0.processorSeconds }
        let (early, late) = (times[..<9].min() ?? 0, times[10...].min() ?? 0)
        #expect(late < 1.5 * early, "\(child.output)")
    }
}
