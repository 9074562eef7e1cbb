import TestSupport

/// Everything that was measured in one scenario.
struct ScenarioResult: Codable, Sendable, Equatable {
    /// One round of one program.
    struct Run: Codable, Sendable, Equatable {
        let round: Int
        let program: String
        let cost: RunCost
        /// What the server sent in all, where that is counted.
        var servedBytes: Int?
    }

    /// One round of a queue of one length.
    struct QueueRun: Codable, Sendable, Equatable {
        let round: Int
        let cost: QueueCost
    }

    /// What the scenario is there to show.
    enum Measure: String, Codable, Sendable {
        case wall, memory, fetched, queue
    }

    let name: String
    /// What the work is, in a few words.
    let work: String
    let measure: Measure
    let totalBytes: Int
    let fileCount: Int
    var runs: [Run] = []
    var queueRuns: [QueueRun] = []
    /// What people must know to judge the figures: which programs were left out, and why.
    var notes: [String] = []
    /// Programs that failed, with what was said.
    var failures: [String] = []
}

/// What a queue of `count` downloads cost.
struct QueueCost: Codable, Sendable, Equatable {
    let count: Int
    let enqueueSeconds: Double
    /// By how much the process had grown for each download.
    let bytesEach: Double
    let cancelSeconds: Double
}
