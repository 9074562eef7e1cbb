import Foundation

/// The scenarios in which files are fetched from nginx, perhaps by a program that is killed and started again.
///
/// Programs take turns: A B C, A B C, so that what changes on the machine meanwhile meets all of them.
final class FetchRace {
    private static let zeros = Data(count: 1 << 20)

    private let places: Places
    private let server: Nginx
    private let contestants: [InstalledContestant]
    private let rounds: Int
    /// What stays until the end. Before an ext4 without a journal makes a file, it looks at all inodes near it that were
    /// deleted within minutes: after thousands of deleted files each new one takes several times as long, whichever program
    /// makes it. For what was deleted before the race, each run has its own part of the disk.
    private var kept: [TemporaryFolder] = []

    init(places: Places, server: Nginx, contestants: [InstalledContestant], rounds: Int) {
        (self.places, self.server, self.contestants, self.rounds) = (places, server, contestants, rounds)
    }

    /// Runs each program that can do the work in its ways, once in each round. One that fails is out, and the result says so.
    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        let source = try SourceFiles(of: scenario, in: places.memory)
        let parent = try TemporaryFolder(in: places.path(of: scenario.medium))
        // Has ext4 put each folder in it into a part of the disk of its own; other file systems have no such mark.
        if let chattr = ProgramPath.installed("chattr") { try await Child(chattr, ["+T", parent.path]).end() }
        kept.append(parent)
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
                do {
                    let folder = try TemporaryFolder(in: parent.path)
                    if scenario.medium != .memory, scenario.fileCount > 100 { kept.append(folder) }
                    let (cost, bytes) = try await fetch(scenario, with: installed, as: entry, source, into: folder)
                    result.runs.append(.init(round: round, program: entry.name, cost: cost, servedBytes: bytes))
                } catch let failure as WorkFailure {
                    try await server.stop()
                    result.failures.append("\(entry.name) failed in round \(round): \(failure)")
                    playing.removeAll { $0.entry == entry }
                    result.runs.removeAll { $0.program == entry.name }
                }
            }
        }
    }

    /// What it cost, and what the server sent, where that is counted.
    private func fetch(
        _ scenario: Scenario,
        with installed: InstalledContestant,
        as entry: Entry,
        _ source: SourceFiles,
        into folder: TemporaryFolder
    ) async throws -> (RunCost, Int?) {
        let (target, scratch) = (try TemporaryFolder(in: folder.path), try TemporaryFolder(in: folder.path))
        let notes = try TemporaryFolder()
        let connections = entry.connections ?? (scenario.resumes ? 1 : nil)
        try touch(scenario, in: target)
        let order = try FetchOrder(
            source.names.map { ($0, server.url($0, over: scenario.webProtocol)) },
            of: scenario,
            authority: scenario.isSecured ? server.certificate : nil,
            connections: connections,
            into: target,
            notes: notes
        )
        let command = try entry.command(of: installed, for: order)
        var diskSpeed: Int?
        if case .slowDisk(let speed) = scenario.kind { diskSpeed = speed }
        let start = {
            try StopwatchRun(
                command.path,
                command.arguments,
                flushing: scenario.medium == .durableDisk && !installed.contestant.flushesItself ? target.path : nil,
                scratch: scratch.path,
                diskSpeed: diskSpeed
            )
        }
        var (killed, servedBytes) = (RunCost?.none, 0)
        if scenario.resumes, let rate = scenario.rate {
            // At least a second for the whole: a little work must not be over before the program is killed.
            let count = connections ?? 1
            let slowest = min(rate.bytesPerSecond, scenario.totalBytes / count)
            try await server.start(serving: source.path, rate: .init(bytesPerSecond: slowest))
            let half = Double(scenario.totalBytes) / Double(slowest * count) / 2
            killed = try await start().kill(after: .seconds(half)) { !isEmpty(target) || !isEmpty(scratch) }
            servedBytes = try await server.stop()
        }
        try await server.start(serving: source.path, rate: scenario.rate)
        let cost = try await start().cost()
        servedBytes += try await server.stop()
        try source.check(against: target)
        // A program that writes by other calls would get past the slow disk, and prove nothing.
        if let diskSpeed, cost.wallSeconds < 0.9 * Double(scenario.totalBytes) / Double(diskSpeed) - 0.1 {
            throw WorkFailure("it wrote past the slow disk")
        }
        return (killed.map { $0 + cost } ?? cost, scenario.rate == nil ? nil : servedBytes)
    }

    private func isEmpty(_ folder: TemporaryFolder) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.isEmpty ?? true
    }

    /// Writes as many bytes as the run will, deletes them, and lets all disks come to rest.
    ///
    /// On a virtual machine the host pays for the first touch of memory, so the first program would pay for all.
    private func touch(_ scenario: Scenario, in folder: TemporaryFolder) throws {
        // In few files: see `kept`.
        let paths = (0..<min(scenario.fileCount, 3)).map { folder.path("touch-\($0)") }
        for path in paths {
            try Task.checkCancellation()
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw SystemError("making \(path)")
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            for start in stride(from: 0, to: scenario.totalBytes / paths.count, by: Self.zeros.count) {
                try file.write(contentsOf: Self.zeros.prefix(scenario.totalBytes / paths.count - start))
            }
            try file.close()
        }
        for path in paths { unlink(path) }
        sync()
    }
}
