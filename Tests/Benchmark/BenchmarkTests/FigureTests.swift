import TestSupport
import Testing

@testable import spate_benchmark

@Suite struct FigureTests {
    @Test(arguments: [([3], 3), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5), ([1, 1, 100], 1)] as [([Double], Double)])
    func theMedianIsTheMiddleInOrder(values: [Double], median: Double) {
        #expect(values.median == median)
    }

    @Test func nothingHasNoMedian() {
        #expect([Double]().median == nil)
    }

    @Test func ratiosArePairedRoundByRound() throws {
        // The medians' own ratio would be 1: only round by round does it show that ours takes twice as long as a rule.
        let result = result(["spate": [1, 2, 40], "peer": [2, 1, 20]])
        let ratio = try #require(Comparison(result).rows.first { $0.program == "spate" }?.wallRatio)
        #expect(ratio.least == 0.5 && ratio.median == 2 && ratio.most == 2)
    }

    @Test func theBestPeerHasTheLeastMedianAndIsNeverOurs() {
        let comparison = Comparison(result(["spate": [1, 1, 1], "slow": [2, 9, 9], "fast": [5, 5, 5]]))
        #expect(comparison.bestPeer == "fast")
        #expect(comparison.rows.first { $0.program == "fast" }?.wallRatio?.median == 1)
    }

    @Test func withoutPeersThereAreNoRatios() {
        let comparison = Comparison(result(["spate": [1, 2]]))
        #expect(comparison.bestPeer == nil && comparison.rows.first?.wallRatio == nil)
        #expect(comparison.rows.first?.wall.median == 1.5)
    }

    @Test func theStopwatchsLineIsReadAndNothingElse() {
        let cost = RunCost(stopwatch: "1500000000 250000000 500000000 2048\n")
        #expect(cost?.wallSeconds == 1.5 && cost?.processorSeconds == 0.75 && cost?.peakBytes == 2_097_152)
        #expect(RunCost(stopwatch: "1 2 3") == nil && RunCost(stopwatch: "") == nil)
    }

    @Test func twoRunsAddUpButForThePeak() {
        let run = RunCost(wallSeconds: 1, userSeconds: 2, systemSeconds: 3, peakBytes: 4)
        let other = RunCost(wallSeconds: 10, userSeconds: 20, systemSeconds: 30, peakBytes: 3)
        #expect(run + other == RunCost(wallSeconds: 11, userSeconds: 22, systemSeconds: 33, peakBytes: 4))
    }

    @Test func whatTheServerSentIsToldOverTheSize() {
        var result = result(["spate": [1]])
        result.runs[0].servedBytes = 1_500
        #expect(Comparison(result).rows.first?.servedRatio == 1.5)
    }

    @Test func theTableNamesProgramsFailuresAndWhoIsLeftOut() {
        var result = result(["spate": [0.5], "peer": [1]])
        result.notes = ["other is left out."]
        result.failures = ["third failed"]
        let text = ResultTable(result).lines.joined(separator: "\n")
        for part in ["wall/peer", "0.50 s", "0.50", "other is left out.", "third failed"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test(arguments: [(0.00005, "50 µs"), (0.0123, "12.3 ms"), (0.814, "0.81 s"), (12.34, "12.3 s")])
    func secondsAreToldAsPeopleReadThem(seconds: Double, text: String) {
        #expect(QuantityText.seconds(seconds) == text)
    }

    @Test func bytesAndCountsAreToldAsPeopleReadThem() {
        #expect(QuantityText.bytes(512 << 20) == "512 MiB" && QuantityText.bytes(4_096) == "4 KiB")
        #expect(QuantityText.bytes(1_600) == "1.6 KiB" && QuantityText.bytes(7) == "7 bytes")
        #expect(QuantityText.count(100_000) == "100,000" && QuantityText.count(999) == "999")
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
