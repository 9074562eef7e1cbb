/// What one run of a program took.
package struct RunCost: Codable, Sendable, Equatable {
    package var wallSeconds: Double
    package var userSeconds: Double
    package var systemSeconds: Double
    /// The most that was resident at one time.
    package var peakBytes: Int

    package var processorSeconds: Double { userSeconds + systemSeconds }

    /// Reads the stopwatch's line; `nil` for one that is none.
    package init?(stopwatch line: String) {
        let numbers = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 4 else { return nil }
        wallSeconds = Double(numbers[0]) / 1e9
        userSeconds = Double(numbers[1]) / 1e9
        systemSeconds = Double(numbers[2]) / 1e9
        peakBytes = numbers[3] * 1_024
    }

    package init(wallSeconds: Double, userSeconds: Double, systemSeconds: Double, peakBytes: Int) {
        self.wallSeconds = wallSeconds
        self.userSeconds = userSeconds
        self.systemSeconds = systemSeconds
        self.peakBytes = peakBytes
    }

    /// Two runs after each other as one.
    package static func + (first: RunCost, second: RunCost) -> RunCost {
        RunCost(
            wallSeconds: first.wallSeconds + second.wallSeconds,
            userSeconds: first.userSeconds + second.userSeconds,
            systemSeconds: first.systemSeconds + second.systemSeconds,
            peakBytes: max(first.peakBytes, second.peakBytes)
        )
    }
}
