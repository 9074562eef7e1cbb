import Foundation
import Locking
import TestSupport

/// The scenarios in which all files are fetched from nginx, from nothing to the end.
struct FetchRace {
    let places: Places
    let server: NginxServer
    let served: TemporaryFolder
    let turns: Turns
    /// What stays until the end. Before an ext4 without a journal makes a file, it looks at all inodes near it that were
    /// deleted within minutes: after thousands of deleted files each new one takes several times as long, whichever program
    /// makes it. For what was deleted before the race, each run has its own part of the disk.
    private let kept = Locked<[TemporaryFolder]>([])

    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        let source = try SourceFiles(of: scenario, in: served)
        let files = source.names.map { ($0, server.url("/" + $0, over: scenario.isSecured ? .tls : .plain)) }
        let parent = try TemporaryFolder(in: places.path(of: scenario.medium))
        parent.spreadFolders()
        kept.withLock { $0.append(parent) }
        try await turns.take(of: scenario, into: &result) { installed, entry in
            let folder = try TemporaryFolder(in: parent.path)
            if scenario.medium != .memory, scenario.fileCount > 100 { kept.withLock { $0.append(folder) } }
            let (target, scratch) = (try TemporaryFolder(in: folder.path), try TemporaryFolder(in: folder.path))
            let notes = try TemporaryFolder()
            try Touching.work(of: scenario, in: target)
            let order = try FetchOrder(
                files,
                of: scenario,
                connections: entry.connections,
                into: target,
                notes: notes
            )
            var diskSpeed: Int?
            if case .slowDisk(let speed) = scenario.kind { diskSpeed = speed }
            let run = try StopwatchRun(
                installed.path,
                installed.contestant.arguments(for: order),
                flushing: scenario.medium == .durableDisk && !installed.contestant.flushesItself ? target.path : nil,
                scratch: scratch.path,
                diskSpeed: diskSpeed
            )
            let cost = try await run.cost()
            try source.check(against: target)
            // A program that writes by other calls would get past the slow disk, and prove nothing.
            if let diskSpeed, cost.wallSeconds < 0.9 * Double(scenario.totalBytes) / Double(diskSpeed) - 0.1 {
                throw WorkFailure("it wrote past the slow disk")
            }
            return (cost, nil)
        }
    }
}
