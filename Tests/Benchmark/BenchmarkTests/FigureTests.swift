import TestSupport
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
