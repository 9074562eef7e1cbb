@testable import spate_benchmark

/// Figures for tests of what is made of them.
enum FigureSample {
    /// Runs with these wall times, round by round.
    static func result(
        _ walls: KeyValuePairs<String, [Double]>,
        name: String = "name",
        measure: ScenarioResult.Measure = .wall,
        shortfalls: [String: ScenarioResult.Shortfall] = [:]
    ) -> ScenarioResult {
        var result = ScenarioResult(name: name, work: "work", measure: measure, totalBytes: 1_000, fileCount: 1)
        for (program, seconds) in walls {
            for (index, wall) in seconds.enumerated() {
                let cost = RunCost(wallSeconds: wall, userSeconds: wall, systemSeconds: 0, peakBytes: 1 << 20)
                var run = ScenarioResult.Run(round: index + 1, program: program, cost: cost)
                run.shortfall = shortfalls[program]
                result.runs.append(run)
            }
        }
        return result
    }

    /// A run with these results.
    static func report(_ scenarios: [ScenarioResult]) -> BenchmarkReport {
        BenchmarkReport(
            date: "2026-01-01",
            machine: Machine(processor: "p", cores: 2, memoryBytes: 1, kernel: "k", system: "s", diskFileSystem: "f"),
            versions: [:],
            rounds: 1,
            scale: 1,
            isOptimized: true,
            scenarios: scenarios
        )
    }
}
