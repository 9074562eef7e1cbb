import TestSupport

/// Programs that take turns: A B C, A B C, so that what changes on the machine meanwhile meets all of them.
struct Turns {
    let contestants: [InstalledContestant]
    let rounds: Int

    /// Runs each program that can do the work in its ways, once in each round. One that fails is out, and the result says so.
    func take(
        of scenario: Scenario,
        into result: inout ScenarioResult,
        _ work: (InstalledContestant, Entry) async throws -> (cost: RunCost, servedBytes: Int?)
    ) async throws {
        let entries = scenario.entries ?? contestants.map { Entry($0.contestant) }
        var playing = entries.compactMap { entry in
            contestants.first { $0.contestant == entry.contestant }.map { (installed: $0, entry: entry) }
        }
        for installed in contestants where scenario.entries == nil {
            guard let obstacle = installed.contestant.obstacle(to: scenario) else { continue }
            result.notes.append("\(installed.contestant.rawValue) is left out: \(obstacle).")
            playing.removeAll { $0.entry.contestant == installed.contestant }
        }
        for round in 1...rounds {
            for (installed, entry) in playing {
                let name = entry.name
                do {
                    let (cost, servedBytes) = try await work(installed, entry)
                    result.runs.append(.init(round: round, program: name, cost: cost, servedBytes: servedBytes))
                } catch let failure as WorkFailure {
                    result.failures.append("\(name) failed in round \(round): \(failure)")
                    playing.removeAll { $0.entry == entry }
                    result.runs.removeAll { $0.program == name }
                }
            }
        }
    }
}
