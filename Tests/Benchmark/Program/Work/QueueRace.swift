import Foundation
import TestSupport

/// The scenario in which downloads wait in the library's queue: each length in a process of its own.
struct QueueRace {
    let rounds: Int

    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        // What runs must not end: a slot would become free.
        let port = try DeadPort(.unanswering)
        let option = scenario.keepsQueue ? "--measure-kept-queue" : "--measure-queue"
        let program = try BuiltProgram.path("spate-benchmark")
        for round in 1...rounds {
            for count in scenario.queueCounts {
                let child = try ChildProcess(program, [option, "\(count)", "\(port.port)"])
                let exit = try await child.waitForExit()
                guard exit == .status(0),
                    let cost = try? JSONDecoder().decode(QueueCost.self, from: Data(child.output.utf8))
                else {
                    result.failures.append("\(count) downloads failed: \(exit) \(child.errors.suffix(400))")
                    return
                }
                result.queueRuns.append(.init(round: round, cost: cost))
            }
        }
    }
}
