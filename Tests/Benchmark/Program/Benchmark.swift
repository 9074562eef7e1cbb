import Foundation

/// Everything from a command line's scenarios to the report.
struct Benchmark {
    /// What must be installed.
    static let requirement = """
        spate-benchmark needs nginx and openssl: apt-get install nginx-light openssl, or dnf install nginx openssl
        """

    let arguments: BenchmarkArguments

    /// Returns the code to exit with. Throws `UsageError` where nothing can be measured here, and `CancellationError`
    /// when it is interrupted, with nothing left behind.
    func run() async throws -> Int32 {
        guard let nginx = ProgramPath.installed("nginx"), Nginx.isPossible else { throw UsageError(Self.requirement) }
        let places = try Places(directory: arguments.directory)
        let contestants = try await installed()
        var versions = Dictionary(uniqueKeysWithValues: contestants.map { ($0.contestant.rawValue, $0.version) })
        versions["nginx"] = try await InstalledContestant.version(of: nginx, option: "-v")
        var report = BenchmarkReport(
            date: Date().ISO8601Format(),
            machine: Machine(places: places),
            versions: versions,
            rounds: arguments.rounds,
            scale: arguments.scale,
            isOptimized: BenchmarkReport.wasOptimized
        )
        // If the files cannot be written, fail now and not after an hour.
        try Figures(report).write(as: arguments)
        if let root = arguments.publish {
            guard report.isOptimized, report.scale == 1, contestants.count == Contestant.allCases.count else {
                throw UsageError("--publish needs a release build, the whole work and all programs")
            }
            try Publication(root).publish([])
        }
        announce(report)

        let (server, rounds) = (try await Nginx(), arguments.rounds)
        let fetchRace = FetchRace(places: places, server: server, contestants: contestants, rounds: rounds)
        for scenario in arguments.scenarios {
            var result = scenario.emptyResult
            if let shortage = places.shortage(for: scenario) {
                result.failures.append("\(scenario.name) was left out: \(shortage)")
            } else {
                switch scenario.kind {
                case .queue where contestants.contains { $0.contestant == .spate }:
                    try await QueueRace(rounds: rounds).run(scenario, into: &result)
                case .line(let line):
                    try await run(scenario, over: line, in: places, contestants, into: &result)
                case .server(let model):
                    let race = RemoteRace(places: places, contestants: contestants, rounds: rounds)
                    try await race.run(scenario, from: ServerRemote(model), into: &result)
                case .queue:
                    result.notes.append("spate is not among the programs, and others have no such queue.")
                default: try await fetchRace.run(scenario, into: &result)
                }
            }
            result.notes += scenario.targets.compactMap { $0.line(for: result) }
            Terminal.say((ResultTable(result).lines + [""]).joined(separator: "\n"))
            report.scenarios.append(result)
            // After each: a long run that is interrupted keeps what it has.
            try Figures(report).write(as: arguments)
        }
        if let root = arguments.publish { try Publication(root).publish([report]) }
        return report.scenarios.allSatisfy(\.failures.isEmpty) ? 0 : 1
    }

    /// Says why, where this machine cannot have the line.
    private func run(
        _ scenario: Scenario,
        over line: Line,
        in places: Places,
        _ contestants: [InstalledContestant],
        into result: inout ScenarioResult
    ) async throws {
        do {
            let remote = try await LineRemote(line, webProtocol: scenario.webProtocol, hosts: scenario.hosts)
            let race = RemoteRace(places: places, contestants: contestants, rounds: arguments.rounds)
            result.notes.append(Line.conditions)
            try await race.run(scenario, from: remote, into: &result)
        } catch let obstacle as LineObstacle {
            result.notes.append("A line is not possible here: \(obstacle.reason).")
        }
    }

    private func installed() async throws -> [InstalledContestant] {
        var found: [InstalledContestant] = []
        for contestant in arguments.contestants {
            if let installed = try await InstalledContestant(contestant) {
                found.append(installed)
            } else {
                Terminal.say("\(contestant.rawValue) is not installed, and left out")
            }
        }
        return found
    }

    private func announce(_ report: BenchmarkReport) {
        Terminal.say(report.machine.description)
        for (name, version) in report.versions.sorted(by: { $0.key < $1.key }) { Terminal.say("  \(name): \(version)") }
        if !report.isOptimized {
            Terminal.say("Built for debugging: spate's figures mean nothing. Build with -c release.")
        }
        if report.scale != 1 { Terminal.say("The work is \(report.scale) times what the scenarios say.") }
        Terminal.say("")
    }
}
