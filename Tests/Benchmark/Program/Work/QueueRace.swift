import Foundation

/// The scenario in which downloads wait in the library's queue: each length in a process of its own.
struct QueueRace {
    let rounds: Int

    func run(_ scenario: Scenario, into result: inout ScenarioResult) async throws {
        // What runs must not end: a slot would become free.
        let port = try LoopbackPort(listens: true)
        let option = scenario.keepsQueue ? "--measure-kept-queue" : "--measure-queue"
        let program = try ProgramPath.built("spate-benchmark")
        for round in 1...rounds {
            for count in scenario.queueCounts {
                let child = try Child(program, [option, "\(count)", "\(port.number)"])
                let status = try await child.end()
                guard status == 0,
                    let cost = try? JSONDecoder().decode(QueueCost.self, from: Data(child.output.utf8))
                else {
                    result.failures.append("\(count) downloads failed: \(status) \(child.errors.suffix(400))")
                    return
                }
                result.queueRuns.append(.init(round: round, cost: cost))
            }
        }
    }
}
