/// Everything that was measured in one scenario.
struct ScenarioResult: Codable, Sendable, Equatable {
    /// One round of one program.
    struct Run: Codable, Sendable, Equatable {
        let round: Int
        let program: String
        let cost: RunCost
        /// What the server sent in all, where that is counted.
        var servedBytes: Int?
        /// Why it did not fetch everything; `nil` where it did.
        var shortfall: Shortfall?
    }

    enum Shortfall: String, Codable, Sendable {
        /// It was stopped for the time that it took.
        case overLimit
        /// It ended without all files.
        case incomplete
    }

    /// One round of a queue of one length.
    struct QueueRun: Codable, Sendable, Equatable {
        let round: Int
        let cost: QueueCost
    }

    /// What the scenario is there to show.
    enum Measure: String, Codable, Sendable {
        case wall, memory, fetched, queue
        /// Wall time over that of the best fixed number of downloads at once.
        case server
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

    /// Whether the cost of each file matters more than that of its bytes.
    var hasSmallFiles: Bool { totalBytes < fileCount << 20 }

    /// The programs that ran, in the order in which they first did.
    var programs: [String] {
        var names: [String] = []
        for run in runs where !names.contains(run.program) { names.append(run.program) }
        return names
    }

    /// What the server sent over the size of the files; `nil` where that is not counted.
    func servedRatio(of run: Run) -> Double? {
        run.servedBytes.map { Double($0) / Double(max(1, totalBytes)) }
    }

    func switchesPerFile(of run: Run) -> Double? {
        run.cost.contextSwitches.map { Double($0) / Double(max(1, fileCount)) }
    }
}

/// What a queue of `count` downloads cost.
struct QueueCost: Codable, Sendable, Equatable {
    let count: Int
    let enqueueSeconds: Double
    /// By how much the process had grown for each download.
    let bytesEach: Double
    let cancelSeconds: Double
}

/// What one run of a program took.
struct RunCost: Codable, Sendable, Equatable {
    var wallSeconds: Double
    var userSeconds: Double
    var systemSeconds: Double
    /// The most that was resident at one time.
    var peakBytes: Int
    /// Voluntary and involuntary ones; `nil` in figures from before they were counted.
    var contextSwitches: Int?

    var processorSeconds: Double { userSeconds + systemSeconds }

    /// Two runs after each other as one.
    static func + (first: RunCost, second: RunCost) -> RunCost {
        RunCost(
            wallSeconds: first.wallSeconds + second.wallSeconds,
            userSeconds: first.userSeconds + second.userSeconds,
            systemSeconds: first.systemSeconds + second.systemSeconds,
            peakBytes: max(first.peakBytes, second.peakBytes),
            contextSwitches: first.contextSwitches.flatMap { switches in second.contextSwitches.map { switches + $0 } }
        )
    }
}

extension RunCost {
    /// Reads the stopwatch's line; `nil` if it is not one.
    init?(stopwatch line: String) {
        let words = line.split(whereSeparator: \.isWhitespace)
        let numbers = words.prefix(4).compactMap { Double($0) }
        let label = "switches:"
        guard numbers.count == 4, words.count == 5, words[4].hasPrefix(label),
            let switches = Int(words[4].dropFirst(label.count))
        else { return nil }
        self.init(
            wallSeconds: numbers[0] / 1e9,
            userSeconds: numbers[1] / 1e9,
            systemSeconds: numbers[2] / 1e9,
            peakBytes: Int(numbers[3]) * 1_024,
            contextSwitches: switches
        )
    }
}
