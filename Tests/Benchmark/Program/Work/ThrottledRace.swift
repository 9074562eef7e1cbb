import Foundation
import Locking
import TestSupport

/// The scenarios in which each connection has a rate of its own; in one of them each program is killed when half of the
/// file has been sent, and started again.
struct ThrottledRace {
    let rate: Scenario.ConnectionRate
    let places: Places
    let turns: Turns

    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        let held = HeldFile(of: scenario)
        try await turns.take(of: scenario, into: &result) { [rate] installed, entry in
            let folder = try TemporaryFolder(in: places.path(of: scenario.medium))
            let (target, scratch) = (try TemporaryFolder(in: folder.path), try TemporaryFolder(in: folder.path))
            let notes = try TemporaryFolder()
            try Touching.work(of: scenario, in: target)
            // It stands still at three quarters: a program on a busy machine may be killed late, but never too late.
            let end = scenario.resumes ? scenario.fileBytes * 3 / 4 : .max
            let rates = Locked(ConnectionRates(allowance: end, bytesPerSecond: rate.of))
            let server = try TestServer(files: ["/" + held.name: held.file]) { request, reply in
                reply.paced(by: rates.withLock { $0 }, for: request)
            }
            let order = try FetchOrder(
                [(held.name, server.url("/" + held.name))],
                of: scenario,
                connections: entry.connections,
                into: target,
                notes: notes
            )
            let arguments = installed.contestant.arguments(for: order)
            var killed: RunCost?
            if scenario.resumes {
                let first = try StopwatchRun(installed.path, arguments, scratch: scratch.path)
                // Sizes of files tell nothing where one is filled from several places.
                try await first.wait(
                    until: { server.bytesSent >= scenario.fileBytes / 2 },
                    orFailWith: "it never had half of the file"
                )
                first.kill()
                killed = try await first.cost(endsWith: .status(128 + SIGKILL))
                rates.withLock { $0 = ConnectionRates(bytesPerSecond: rate.of) }
            }
            let cost = try await StopwatchRun(installed.path, arguments, scratch: scratch.path).cost()
            try held.check(in: target)
            return (killed.map { $0 + cost } ?? cost, server.bytesSent)
        }
    }
}
