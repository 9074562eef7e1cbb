import SpateHTTPTransport
import SpateSimulation
import Testing

struct NetworkContractTests {
    @Test func eachTransferEndsOnceAndInOrder() throws {
        for seed in 0..<UInt64(300) {
            let world = NetworkWorld(seed, forbidden: [])
            world.network.populate(files: 4)
            let sinks = try run(world) { _ in }
            for sink in sinks {
                #expect(sink.ends.count == 1 && sink.faults.isEmpty, "\(seed): \(sink.ends) \(sink.faults)")
            }
            #expect(world.network.openCount == 0 && world.network.runningCount == 0, "\(seed)")
        }
    }

    @Test func aCancelledTransferEndsOnce() throws {
        var (cancelled, complete) = (0, 0)
        for seed in 0..<UInt64(300) {
            let world = NetworkWorld(seed, forbidden: [])
            world.network.populate(files: 4)
            let sinks = try run(world) { transfer in
                let time = world.timeline.time(upTo: world.timeline.onceIn(2) ? .milliseconds(80) : .seconds(4))
                world.timeline.after(time, in: world.process) {
                    transfer.cancel()
                    transfer.cancel()
                }
            }
            for sink in sinks {
                #expect(sink.ends.count == 1 && sink.faults.isEmpty, "\(seed): \(sink.ends) \(sink.faults)")
                cancelled += sink.isCancelled ? 1 : 0
                complete += sink.isComplete ? 1 : 0
            }
            #expect(world.network.openCount == 0, "\(seed)")
        }
        #expect(cancelled > 300 && complete > 100)
    }

    @Test func aKilledProcessHearsNothingAndHoldsNothing() throws {
        for seed in 0..<UInt64(100) {
            let world = NetworkWorld(seed, forbidden: [])
            world.network.populate(files: 4)
            var counts: [Int] = []
            var sinks: [NetworkSink] = []
            world.timeline.after(world.timeline.time(upTo: .milliseconds(100))) {
                world.process.kill()
                counts = sinks.map { $0.body.count + $0.ends.count + $0.heads.count }
            }
            for file in world.network.files {
                let sink = NetworkSink()
                try world.start(file.url, sink: sink)
                sinks.append(sink)
            }
            world.run()
            #expect(sinks.map { $0.body.count + $0.ends.count + $0.heads.count } == counts, "\(seed)")
            world.network.removeDead()
            #expect(world.network.openCount == 0 && world.network.runningCount == 0, "\(seed)")
        }
    }

    @Test func aSinkThatWantsNoMoreGetsNoMore() throws {
        for seed in 0..<UInt64(100) {
            let world = NetworkWorld(seed)
            let file = world.file()
            let sink = NetworkSink()
            sink.limit = 1
            try world.start(file.url, sink: sink)
            world.run()
            #expect(sink.ends.count == 1 && sink.faults.isEmpty && sink.lastFlags.count <= 1, "\(seed): \(sink.faults)")
        }
    }

    @Test func anUnwantedBodyIsReadWhileItIsShort() throws {
        for seed in 0..<UInt64(100) {
            let world = NetworkWorld(seed)
            let file = world.file()
            let (stopping, discarding) = (NetworkSink(), NetworkSink())
            (stopping.disposition, discarding.disposition) = (.stop, .discard)
            try world.start(file.url, sink: stopping)
            try world.start(file.url, sink: discarding)
            world.run()
            let isShort = file.contents[0].count <= 64 * 1_024
            #expect(stopping.isStopped && stopping.body.isEmpty)
            #expect(discarding.isComplete == isShort && discarding.isStopped != isShort && discarding.body.isEmpty)
        }
    }

    /// Asks for each file some times, and for parts.
    private func run(_ world: NetworkWorld, _ note: (any Transfer) -> Void) throws -> [NetworkSink] {
        var sinks: [NetworkSink] = []
        for file in world.network.files {
            for round in 0..<4 {
                let sink = NetworkSink()
                if world.timeline.onceIn(10) { sink.disposition = .discard }
                if world.timeline.onceIn(10) { sink.limit = world.timeline.number(in: 1..<100_000) }
                let start = Int64(world.timeline.number(in: 0..<100_000))
                note(try world.start(file.url, range: round % 2 == 0 ? nil : start..<(start + 50_000), sink: sink))
                sinks.append(sink)
            }
        }
        world.run()
        return sinks
    }
}
