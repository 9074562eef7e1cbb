import Foundation

/// The scenarios in which programs fetch from a remote as their users call them.
///
/// Programs take turns: A B C, A B C, so that what changes on the machine meanwhile meets all of them.
struct RemoteRace {
    /// So many of the fixed numbers of downloads at once run again after the first round.
    private static let fixedToKeep = 3
    /// Ours may take so many times as long as others before it is stopped.
    private static let patience = 4

    let places: Places
    let contestants: [InstalledContestant]
    let rounds: Int

    /// Runs each program once in each round. A peer, or a fixed number of ours, that does not fetch everything is out, and
    /// the result has its run; if ours with its defaults does not, the scenario has failed.
    func run(_ scenario: Scenario, from remote: any Remote, into result: inout ScenarioResult) async throws {
        let source = try SourceFiles(of: scenario, in: places.memory)
        var playing = players(in: scenario, notes: &result.notes)
        for round in 1...rounds {
            for (installed, entry) in playing {
                let run: ScenarioResult.Run
                do {
                    run = try await fetch(scenario, from: remote, with: installed, as: entry, source, round: round)
                } catch let failure as WorkFailure {
                    try await remote.stop()
                    result.failures.append("\(entry.name) failed in round \(round): \(failure)")
                    playing.removeAll { $0.entry == entry }
                    result.runs.removeAll { $0.program == entry.name }
                    continue
                }
                result.runs.append(run)
                if run.shortfall != nil { playing.removeAll { $0.entry == entry } }
            }
            if round == 1 {
                let slow = slowNumbers(in: result)
                playing.removeAll { slow.contains($0.entry.name) }
            }
        }
    }

    private func players(
        in scenario: Scenario,
        notes: inout [String]
    ) -> [(installed: InstalledContestant, entry: Entry)] {
        (scenario.entries ?? []).compactMap { entry in
            guard let installed = contestants.first(where: { $0.contestant == entry.contestant }) else { return nil }
            if let obstacle = entry.contestant.obstacle(to: scenario) {
                notes.append("\(entry.name) is left out: \(obstacle).")
                return nil
            }
            return (installed, entry)
        }
    }

    /// Of many fixed numbers, all but the fastest: they would only take time.
    private func slowNumbers(in result: ScenarioResult) -> [String] {
        let fixed = result.runs.filter { Entry.isFixed($0.program) && $0.shortfall == nil }
        return fixed.sorted { $0.cost.wallSeconds < $1.cost.wallSeconds }.dropFirst(Self.fixedToKeep).map(\.program)
    }

    /// Whether it is our own program with its defaults, which is what a scenario is about.
    private func isOwnChoice(_ entry: Entry) -> Bool { entry.contestant == .spate && entry.typed == [] }

    private func fetch(
        _ scenario: Scenario,
        from remote: any Remote,
        with installed: InstalledContestant,
        as entry: Entry,
        _ source: SourceFiles,
        round: Int
    ) async throws -> ScenarioResult.Run {
        let folder = try TemporaryFolder(in: places.memory)
        let (target, scratch) = (try TemporaryFolder(in: folder.path), try TemporaryFolder(in: folder.path))
        let notes = try TemporaryFolder()
        try await remote.start(serving: source.path, round: round)
        let order = try FetchOrder(
            source.names.enumerated().map { ($1, remote.url($1, number: $0)) },
            of: scenario,
            authority: remote.authority,
            connections: nil,
            into: target,
            notes: notes
        )
        let command = try entry.command(of: installed, for: order)
        let stopwatch = try StopwatchRun(
            command.path,
            command.arguments,
            scratch: scratch.path,
            through: remote.entrance
        )
        let patience = isOwnChoice(entry) ? Self.patience : 1
        let end = try await stopwatch.end(within: scenario.limitSeconds.map { .seconds($0 * patience) })
        try await remote.stop()
        var run = ScenarioResult.Run(round: round, program: entry.name, cost: end.cost)
        if end.isOverLimit {
            run.shortfall = .overLimit
        } else if end.status != 0 {
            guard scenario.refuses, !isOwnChoice(entry) else { throw WorkFailure(end.text) }
            run.shortfall = .incomplete
        } else {
            try source.check(against: target)
        }
        return run
    }
}
