import SpateHTTPSyntax
import SpateHTTPTransport
import SpateSimulation
import Testing

/// How lines of simulated hosts, and the hosts behind them, bear several connections.
struct NetworkLineTests {
    /// A file of some MiB on a host with these faults.
    private struct Line {
        let world: NetworkWorld
        let files: [SimulatedFile]

        /// - Parameter hostCount: how many hosts have a file each.
        init(_ seed: UInt64, _ faults: [NetworkFault], hosts hostCount: Int = 1) {
            let world = NetworkWorld(seed)
            files = (0..<hostCount).map { index in
                let random = world.timeline.random.fork()
                let host = SimulatedHost("host\(index).example", isSecure: false, faults: faults, random: random)
                world.network.add(host)
                return world.network.addFile("file\(index).bin", on: host, sizes: .large)
            }
            self.world = world
        }

        /// Fetches the beginning of each file over so many connections, and returns how many bytes came in a second.
        func rate(of count: Int) throws -> Double {
            let start = world.timeline.now
            let sinks = try (0..<count).map { index in
                let sink = NetworkSink()
                try world.start(files[index % files.count].url, range: 0..<1_000_000, sink: sink)
                return sink
            }
            while sinks.contains(where: { $0.ends.isEmpty }), world.timeline.step() {}
            let bytes = sinks.reduce(0) { $0 + $1.body.count }
            return Double(bytes) / ((world.timeline.now - start) / .seconds(1))
        }
    }

    /// In how many of twenty worlds several connections bring more than so many times what one brings.
    private func gains(_ faults: [NetworkFault], of count: Int, moreThan gain: Double) throws -> Int {
        try (0..<UInt64(20)).count { seed in
            let line = Line(seed, faults)
            let one = try line.rate(of: 1)
            return try line.rate(of: count) > one * gain
        }
    }

    @Test func connectionsThatShareARateBringNoMore() throws {
        // Some hosts have less bandwidth than their line.
        #expect(try gains([.sharedBandwidth], of: 4, moreThan: 1.3) < 10)
        #expect(try gains([], of: 4, moreThan: 2) > 17)
    }

    @Test func hostsOnTheMachinesLineShareIt() throws {
        func slowed(_ faults: [NetworkFault]) throws -> Int {
            try (0..<UInt64(20)).count { seed in
                func time(besidesOthers hasOthers: Bool) throws -> Duration {
                    let line = Line(seed, faults, hosts: 4)
                    let sink = NetworkSink()
                    try line.world.start(line.files[0].url, range: 0..<1_000_000, sink: sink)
                    for file in line.files.dropFirst() where hasOthers {
                        try line.world.start(file.url, sink: NetworkSink())
                    }
                    while sink.ends.isEmpty, line.world.timeline.step() {}
                    return line.world.timeline.now
                }
                return try time(besidesOthers: true) > time(besidesOthers: false) * 1.5
            }
        }
        // Some hosts have less bandwidth than the line.
        #expect(try slowed([.commonLine]) > 10)
        #expect(try slowed([]) == 0)
    }

    @Test func connectionsWithARateOfTheirOwnBringMore() throws {
        #expect(try gains([.slowConnections], of: 4, moreThan: 3) == 20)
    }

    @Test func moreThanAHostBearsBringLess() throws {
        // No host bears so many, and at a tenth of its rate each, thirteen bring little more than one.
        #expect(try gains([.slowConnections, .collapse], of: 13, moreThan: 1.4) == 0)
        #expect(try gains([.slowConnections], of: 13, moreThan: 6) == 20)
    }

    @Test func moreThanAHostTakesAreRefused() throws {
        var refusals: Set<String> = []
        for seed in 0..<UInt64(24) {
            let line = Line(seed, [.connectionLimit, .slowConnections])
            let sinks = (0..<8).map { index in
                let sink = NetworkSink()
                line.world.timeline.after(.milliseconds(index * 250)) {
                    _ = try? line.world.start(line.files[0].url, sink: sink)
                }
                return sink
            }
            line.world.run()
            #expect(sinks.contains { $0.isComplete && $0.heads[0].status == 200 })
            for sink in sinks where sink.heads.first?.status != 200 {
                refusals.insert(sink.heads.first.map { "\($0.status)" } ?? "\(sink.error?.kind ?? .stalled)")
            }
        }
        #expect(refusals == ["429", "503", "broken", "connectionFailed"], "\(refusals)")
    }

    @Test func answersComeLaterTheMoreAreAsked() throws {
        for seed in 0..<UInt64(20) {
            func longest(of count: Int) throws -> Duration {
                let line = Line(seed, [.laterAnswers])
                let sinks = try (0..<count).map { _ in
                    let sink = NetworkSink()
                    sink.disposition = .stop
                    try line.world.start(line.files[0].url, sink: sink)
                    return sink
                }
                while sinks.contains(where: { $0.heads.isEmpty }), line.world.timeline.step() {}
                return line.world.timeline.now
            }
            #expect(try longest(of: 12) > longest(of: 1) + .milliseconds(15))
        }
    }

    @Test func aLongRoundTripIsPaidForTheConnectionToo() throws {
        for seed in 0..<UInt64(20) {
            let line = Line(seed, [.longRoundTrip])
            let sink = NetworkSink()
            try line.world.start(line.files[0].url, sink: sink)
            while sink.heads.isEmpty, line.world.timeline.step() {}
            #expect(line.world.timeline.now >= .milliseconds(40))
        }
    }

    @Test func aNewConnectionGathersSpeed() throws {
        for seed in 0..<UInt64(20) {
            let (slow, usual) = (Line(seed, [.longRoundTrip, .slowStart]), Line(seed, [.longRoundTrip]))
            let (first, all) = (try slow.rate(of: 1), try usual.rate(of: 1))
            #expect(first < all)
            // The connection is kept.
            #expect(try slow.rate(of: 1) > first)
        }
    }

    /// Within one block, which has not been passed on.
    @Test func aRateChangesWhileABlockComes() throws {
        var seen = 0
        for seed in 0..<UInt64(50) {
            func time(startingAnother delay: Duration?) throws -> Duration {
                let line = Line(seed, [.sharedBandwidth])
                let world = line.world
                let (sink, other) = (NetworkSink(), NetworkSink())
                try world.start(line.files[0].url, range: 0..<60_000, sink: sink)
                if let delay {
                    world.timeline.after(delay) { _ = try? world.start(line.files[0].url, sink: other) }
                }
                while sink.ends.isEmpty, world.timeline.step() {}
                return world.timeline.now
            }
            let alone = try time(startingAnother: nil)
            // A line that carries less than its host sends.
            guard alone > .milliseconds(280) else { continue }
            seen += 1
            let halfway = try time(startingAnother: alone / 2 - .milliseconds(120))
            #expect(halfway > alone * 1.1 && halfway < alone * 2.1, "\(seed): \(alone) \(halfway)")
        }
        #expect(seen > 5, "\(seen)")
    }

    @Test func aProcessCountsWhatHasComeBeforeABlockIsComplete() throws {
        for seed in 0..<UInt64(20) {
            let line = Line(seed, [.slowConnections])
            let (limit, sink) = (RateLimit(), NetworkSink())
            try line.world.start(line.files[0].url, rate: RateShare(of: limit), sink: sink)
            var (counts, total) = (0, 0)
            while sink.body.isEmpty, line.world.timeline.step() {
                let count = limit.arrived.take()
                (counts, total) = (counts + (count > 0 ? 1 : 0), total + count)
            }
            line.world.run()
            total += limit.arrived.take()
            #expect(counts > 1 && total == sink.body.count && sink.isComplete, "\(seed): \(counts) \(total)")
        }
    }

    @Test func aRateFallsAndAHealedLineIsFast() throws {
        var fallen = 0
        for seed in 0..<UInt64(24) {
            let line = Line(seed, [.fallingRate])
            let first = try line.rate(of: 1)
            line.world.timeline.after(.seconds(20)) {}
            while line.world.timeline.now < .seconds(20), line.world.timeline.step() {}
            if try line.rate(of: 1) < first / 2 { fallen += 1 }
            line.world.network.heal()
            #expect(try line.rate(of: 1) > first / 2)
        }
        #expect(fallen > 5, "\(fallen)")
    }
}
