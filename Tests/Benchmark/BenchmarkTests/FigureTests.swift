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

    @Test func switchesAreShownForEachSmallFile() throws {
        let few = RunCost(wallSeconds: 1, userSeconds: 1, systemSeconds: 1, peakBytes: 1, contextSwitches: 500)
        let many = RunCost(wallSeconds: 1, userSeconds: 1, systemSeconds: 1, peakBytes: 1, contextSwitches: 9_000)
        var small = ScenarioResult(name: "name", work: "work", measure: .wall, totalBytes: 8_192_000, fileCount: 2_000)
        small.runs = [few, few, many].map { .init(round: 1, program: "spate", cost: $0) }
        let lines = ResultTable(small).lines
        #expect(lines[1].contains("switches/file") && lines[2].contains(" 0.25"))
        var large = ScenarioResult(name: "name", work: "work", measure: .wall, totalBytes: 8_192_000, fileCount: 2)
        large.runs = small.runs
        #expect(!ResultTable(large).lines[1].contains("switches/file"))
    }

    private func result(_ walls: KeyValuePairs<String, [Double]>) -> ScenarioResult {
        var result = ScenarioResult(name: "name", work: "work", measure: .wall, totalBytes: 1_000, fileCount: 1)
        for (program, seconds) in walls {
            for (index, wall) in seconds.enumerated() {
                let cost = RunCost(wallSeconds: wall, userSeconds: wall, systemSeconds: 0, peakBytes: 1 << 20)
                result.runs.append(.init(round: index + 1, program: program, cost: cost))
            }
        }
        return result
    }
}
