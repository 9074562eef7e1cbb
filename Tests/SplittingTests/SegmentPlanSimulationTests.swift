import Foundation
import SpateTestSupport
import Testing

/// Five hundred servers in simulated time, the same in every run.
@Suite struct SegmentPlanSimulationTests {
    /// Done on a thread of its own: the few threads of tasks are for tests that wait.
    private static func simulations(
        of fixed: SimulatedServer? = nil,
        count: Int?,
        seeds: Range<UInt64>
    ) async -> [(server: SimulatedServer, run: PlanSimulation)] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let simulations = seeds.map { seed in
                    var random = SeededRandom(seed: seed &* 7_919)
                    let server = fixed ?? SimulatedServer(&random)
                    return (server, PlanSimulation(server, count: count, seed: seed))
                }
                continuation.resume(returning: simulations)
            }
        }
    }

    @Test(
        arguments: [
            (nil, 0..<250), (2, 250..<300), (4, 300..<350), (8, 350..<425), (16, 425..<500),
        ] as [(count: Int?, seeds: Range<UInt64>)]
    )
    func everyFileIsFilledInGoodTime(count: Int?, seeds: Range<UInt64>) async {
        let simulations = await Self.simulations(count: count, seeds: seeds)
        let ratios = simulations.map { $0.run.time / $0.run.best }.sorted()
        #expect(ratios[ratios.count / 2] <= 1.15)
        for (server, run) in simulations {
            #expect(run.time <= 2 * run.best + 5, "\(server): \(run.time) s, at best \(run.best) s")
            // Twice only what a cut or a second try asks for again.
            // Where helpers are refused, or are there too late, the first connection reads on.
            let readsOn = server.mostConnections < count ?? 4 || Double(server.size) < 3 * server.latency * server.line
            #expect(run.fetched <= (readsOn ? 2 : 1.5) * Double(server.size), "\(server): \(run.fetched) bytes")
            // Now and then a few small requests find out whether more connections help by now.
            #expect(run.requests <= 100 + Int(run.time / 5), "\(server): \(run.requests) requests")
        }
        guard count == nil else { return }
        // Connections that share a line, and bring no more together than one.
        for (server, run) in simulations where server.line == server.speed && !server.varies && !server.crawls {
            #expect(run.peak <= 2, "\(server)")
        }
    }

    /// Each loss costs a connection much of its speed. How many make up for that is found out while the file is fetched.
    @Test(arguments: [(0.1, 37e6, 0.001, 1.65), (0.2, 6e6, 0.002, 1.3)])
    func aLineThatLosesPacketsGetsManyConnectionsSoon(answer: Double, rate: Double, loss: Double, ratio: Double) async {
        var server = SimulatedServer()
        (server.size, server.latency, server.speed, server.line, server.loss) = (48 << 20, answer, rate, rate, loss)
        let automatic = await Self.simulations(of: server, count: nil, seeds: 0..<20)
        let sixteen = await Self.simulations(of: server, count: 16, seeds: 0..<20)
        let (time, best) = (automatic.reduce(0) { $0 + $1.run.time }, sixteen.reduce(0) { $0 + $1.run.time })
        #expect(time <= best * ratio, "\(time / 20) s, with sixteen \(best / 20) s")
    }

    /// What each connection gets is less than the line carries.
    @Test(arguments: [(nil, 2.5), (8, 1.1)] as [(count: Int?, seconds: Double)])
    func aThrottledServerGivesMoreToMore(count: Int?, seconds: Double) {
        var server = SimulatedServer()
        server.speed = 8 * 1_048_576
        server.latency = 0.001
        #expect(PlanSimulation(server, count: count, seed: 1).time <= seconds)
    }
}
