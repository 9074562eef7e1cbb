import Foundation
import TestSupport

/// The scenario in which each program is killed when half of the file is there, and started again.
struct ResumeRace {
    private static let bytesPerSecond = 100_000_000

    let places: Places
    let turns: Turns

    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        let held = HeldFile(of: scenario)
        try await turns.take(of: scenario, into: &result) { installed, _ in
            let folder = try TemporaryFolder(in: places.path(of: scenario.medium))
            let (target, scratch) = (try TemporaryFolder(in: folder.path), try TemporaryFolder(in: folder.path))
            let notes = try TemporaryFolder()
            try Touching.work(of: scenario, in: target)
            // Often and little: with a burst, what is on its way in the machine would count as the program's loss.
            let piece = 32_768
            let pause = Duration.seconds(Double(piece) / Double(Self.bytesPerSecond))
            // It stands still at three quarters: a program on a busy machine may be killed late, but never too late.
            let end = scenario.fileBytes * 3 / 4
            let server = try TestServer(files: ["/" + held.name: held.file]) { request, reply in
                request.sequence == 1 ? reply.dripped(bytes: piece, every: pause).stalled(after: end) : reply
            }
            // With one connection a file's size tells how much of it is there.
            let order = try FetchOrder(
                [(held.name, server.url("/" + held.name))],
                of: scenario,
                connections: 1,
                into: target,
                notes: notes
            )
            let arguments = installed.contestant.arguments(for: order)

            let first = try StopwatchRun(installed.path, arguments, scratch: scratch.path)
            try await first.wait(
                until: { Self.bytes(in: folder) >= scenario.fileBytes / 2 },
                orFailWith: "it never had half of the file"
            )
            first.kill()
            let killed = try await first.cost(endsWith: .status(128 + SIGKILL))
            let second = try StopwatchRun(installed.path, arguments, scratch: scratch.path)
            let cost = killed + (try await second.cost())

            try held.check(in: target)
            return (cost, server.bytesSent)
        }
    }

    /// The size of everything under the folder: a program may have the file under any name.
    private static func bytes(in folder: TemporaryFolder) -> Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return names.reduce(0) { sum, name in
            var found = stat()
            guard lstat(folder.path(name), &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return sum }
            return sum + Int(found.st_size)
        }
    }
}
