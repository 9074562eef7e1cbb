/// All of one run: raw figures, and what is needed to judge them.
struct BenchmarkReport: Codable, Sendable, Equatable {
    let date: String
    let machine: Machine
    /// Each program's own words.
    let versions: [String: String]
    let rounds: Int
    /// The factor of the work, 1 unless it was made less or more.
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
}
