extension ChildProcess {
    /// Waits for the program's end, and returns it with the most memory that it ever had in use.
    ///
    /// What the kernel tells after the end would do, were the memory of the process that started it not in it as well:
    /// so it is looked at all the while, and the last look before the end misses next to nothing.
    package func peakUntilExit(within limit: Duration = .seconds(60)) async throws -> (exit: Exit, peak: Int) {
        let probe = ProcessProbe(pid: pid)
        let peak = Watched(0)
        try await eventually("the end of process \(pid)", within: limit) {
            guard let found = try? probe.peakResidentBytes else { return true }
            peak.update { $0 = max($0, found) }
            return false
        }
        return (try await waitForExit(within: limit), peak.value)
    }
}
