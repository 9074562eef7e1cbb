import Foundation

/// All that `--json` writes: raw figures, and what is needed to judge them.
struct BenchmarkReport: Codable, Sendable, Equatable {
    let date: String
    let machine: Machine
    /// Each program's own words.
    let versions: [String: String]
    let rounds: Int
    /// 1 unless the work was made less or more.
    let scale: Double
    let isOptimized: Bool
    var scenarios: [ScenarioResult] = []

    static let wasOptimized: Bool = {
        #if DEBUG
            false
        #else
            true
        #endif
    }()

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
