import Testing

@testable import spate_benchmark

@Suite struct FigureTests {
    @Test func ratiosArePairedRoundByRound() throws {
        // The medians' own ratio would be 1. Only round by round it shows that ours usually takes twice as long.
        let ratio = try #require(
            Comparison(result(["spate": [1, 2, 40], "peer": [2, 1, 20]])).rows.first { $0.program == "spate" }?
                .wallRatio
        )
        #expect(ratio.least == 0.5 && ratio.median == 2 && ratio.most == 2)
    }

    @Test func theBestPeerHasTheLeastMedianAndIsNeverOurs() {
        let comparison = Comparison(result(["spate": [1, 1, 1], "slow": [2, 9, 9], "fast": [5, 5, 5]]))
        #expect(comparison.bestPeer == "fast")
        #expect(comparison.rows.first { $0.program == "fast" }?.wallRatio?.median == 1)
        let alone = Comparison(result(["spate": [1, 2]]))
        #expect(alone.bestPeer == nil && alone.rows.first?.wallRatio == nil && alone.rows.first?.wall.median == 1.5)
    }

    @Test func whatWasStoppedOrLacksFilesIsNeverTheBest() {
        let measured = FigureSample.result(
            ["spate": [20, 20], "fast": [1, 1], "slow": [15, 15], "whole": [30, 10]],
            shortfalls: ["fast": .incomplete, "slow": .overLimit]
        )
        let comparison = Comparison(measured)
        #expect(comparison.bestPeer == "whole")
        #expect(comparison.rows.map(\.wallText) == ["20.0 s", "incomplete", "> 15 s", "20.0 s"])
        let row = "| name: work | 20.0 s | incomplete | > 15 s | 20.0 s | 1.33 |"
        #expect(MarkdownTable([measured]).lines.contains(row))
    }

    @Test func onServersOursIsComparedWithItsBestFixedNumber() {
        let measured = FigureSample.result(
            ["spate": [6, 6], "spate -j 1": [40], "spate -j 8": [4, 5], "spate -j 16": [5, 5], "curl -Z": [1, 1]],
            measure: .server
        )
        #expect(Comparison(measured).reference == "spate -j 8" && Comparison(measured).bestPeer == "curl -Z")
        #expect(
            MarkdownTable([measured]).lines == [
                "| | spate | best number | curl -Z | spate to the best number |", "|---|--:|--:|--:|--:|",
                "| name: work | 6.00 s | 4.50 s (-j 8) | 1.00 s | 1.35 |",
            ]
        )
        let line = Target(.wall, of: Entry(.spate, typed: ""), to: nil, 1.25).line(for: measured)
        #expect(line == "spate: wall time 1.35 of spate -j 8's, at most 1.25: missed")
    }

    @Test func aTargetIsMetOrMissedRoundByRound() {
        let measured = result(["spate -x 8": [1, 2, 40], "spate": [1, 1, 1], "aria2c -x 8": [2, 1, 20]])
        let (eight, peer) = (Entry(.spate, connections: 8), Entry(.aria2c, connections: 8))
        let missed = "spate -x 8: wall time 2.00 of aria2c -x 8's, at most 1.00: missed"
        #expect(Target(.wall, of: eight, to: peer, 1).line(for: measured) == missed)
        #expect(Target(.wall, of: eight, to: nil, 2).line(for: measured)?.hasSuffix("at most 2.00: met") == true)
        // Ours is no peer of its own.
        #expect(Comparison(measured).bestPeer == "aria2c -x 8")
        #expect(Target(.processor, of: eight, to: Entry(.curl), 1).line(for: measured) == nil)
    }

    @Test func anAbsoluteTargetIsMetOrMissedWithoutAPeer() {
        let (spate, measured) = (Entry(.spate), files(2_000, switches: [500, 600, 9_000]))
        let met = Target(.switches, of: spate, atMost: 0.3).line(for: measured)
        #expect(met == "spate: context switches 0.30 a file, at most 0.30: met")
        let missed = Target(.switches, of: spate, atMost: 0.29).line(for: measured)
        #expect(missed == "spate: context switches 0.30 a file, at most 0.29: missed")
        let memory = Target(.memory, of: spate, atMost: 1_048_576).line(for: measured)
        #expect(memory == "spate: memory 2 MiB, at most 1 MiB: missed")
        let fetched = Target(.fetched, of: spate, atMost: 1.25).line(for: measured)
        #expect(fetched == "spate: bytes fetched 1.5000 of the size, at most 1.2500: missed")
        #expect(Target(.memory, of: Entry(.curl), atMost: 1).line(for: measured) == nil)
    }

    @Test func switchesAreShownForEachSmallFile() {
        let lines = ResultTable(files(2_000, switches: [500, 500, 9_000])).lines
        #expect(lines[1].contains("switches/file") && lines[2].contains(" 0.25"))
        #expect(!ResultTable(files(2, switches: [500])).lines[1].contains("switches/file"))
    }

    /// Runs of spate over 8,192,000 bytes in this many files.
    private func files(_ count: Int, switches: [Int]) -> ScenarioResult {
        var result = ScenarioResult(name: "name", work: "work", measure: .wall, totalBytes: 8_192_000, fileCount: count)
        for (index, switches) in switches.enumerated() {
            let cost = RunCost(
                wallSeconds: 1,
                userSeconds: 1,
                systemSeconds: 1,
                peakBytes: 2 << 20,
                contextSwitches: switches
            )
            result.runs.append(.init(round: index + 1, program: "spate", cost: cost, servedBytes: 12_288_000))
        }
        return result
    }

    private func result(_ walls: KeyValuePairs<String, [Double]>) -> ScenarioResult { FigureSample.result(walls) }
}
