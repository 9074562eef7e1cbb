import TestSupport

/// Programs that take turns: A B C, A B C, so that what changes on the machine meanwhile meets all of them.
struct Turns {
    let contestants: [InstalledContestant]
    let rounds: Int

    /// Runs each program that can do the work, once in each round. One that fails is out, and the result says so.
    func take(
        of scenario: Scenario,
        into result: inout ScenarioResult,
        _ work: (InstalledContestant) async throws -> (cost: RunCost, servedBytes: Int?)
    ) async throws {
        var playing = contestants
        for installed in contestants {
            guard let obstacle = installed.contestant.obstacle(to: scenario) else { continue }
            result.notes.append("\(installed.contestant.rawValue) is left out: \(obstacle).")
            playing.removeAll { $0.contestant == installed.contestant }
        }
        for round in 1...rounds {
            for installed in playing {
                let name = installed.contestant.rawValue
                do {
                    let (cost, servedBytes) = try await work(installed)
                    result.runs.append(.init(round: round, program: name, cost: cost, servedBytes: servedBytes))
                } catch let failure as WorkFailure {
                    result.failures.append("\(name) failed in round \(round): \(failure)")
                    playing.removeAll { $0.contestant == installed.contestant }
                    result.runs.removeAll { $0.program == name }
                }
            }
        }
    }
}
