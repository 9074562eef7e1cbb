import Testing

@testable import SpatePacing

/// The controller over models of lines, against the best fixed number of downloads.
struct PaceTests {
    private static let numbers = [2, 3, 8, 12, 16, 32, 48, 64]
    private static let seeds: [UInt64] = [7, 8, 9]

    /// How long each number takes.
    private func fixed(_ model: LineModel) throws -> [(number: Int, seconds: Double)] {
        try Self.numbers.map { number in
            var play = try LinePlay(model, fixed: number, seed: Self.seeds[0])
            return (number, play.play().seconds)
        }
    }

    @Test(arguments: LineModel.all) func itTakesLittleLongerThanTheBestNumber(model: LineModel) throws {
        let fixed = try fixed(model)
        let best = try #require(fixed.map(\.seconds).min())
        let enough = try #require(fixed.first { $0.seconds <= best * 1.05 }?.number)
        let played = try Self.seeds.map { seed in
            var play = try LinePlay(model, seed: seed)
            return play.play()
        }.sorted { $0.seconds < $1.seconds }
        let median = played[played.count / 2]
        // Finding out takes time where a server punishes for it, or where only whole seconds show a rate. One that refuses
        // gets half of what it refused, and a download more for each ten seconds.
        let allowed = model.refuses != nil ? 1.6 : model.closes != nil ? 1.5 : model.hasBursts ? 1.5 : 1.25
        let comment = """
            \(model.name): best \(best) s with \(enough), automatic \(played.map(\.seconds)), \
            \(median.meanRunning) on average, \(median.changes)
            """
        #expect(median.seconds <= best * allowed, "\(comment)")
    }

    /// On a full line, and where rates go up and down or come in bursts, each host loses what others get.
    @Test(arguments: LineModel.all.filter { $0.bears == nil && $0.refuses == nil && $0.closes == nil })
    func noHostIsTakenForOneThatHasCollapsed(model: LineModel) throws {
        var shared = model
        // With eight hosts and these seeds, a rate that many brought was once taken for that of the few who were left.
        for (hosts, seed) in Self.seeds.map({ (4, $0) }) + [(8, 3), (8, 8), (8, 30)] {
            shared.hosts = hosts
            var play = try LinePlay(shared, seed: seed)
            let changes = play.play().hostChanges
            #expect(changes.isEmpty, "\(changes)")
        }
    }

    @Test(arguments: LineModel.all.filter { $0.hosts > 1 })
    func onlyTheHostThatBearsFewGetsFewer(model: LineModel) throws {
        // With the last two, one of eight hosts collapses as soon as more than one download of it runs.
        for seed in Self.seeds + [13, 23] {
            var play = try LinePlay(model, seed: seed)
            let changes = play.play().hostChanges
            #expect(!changes.isEmpty && changes.allSatisfy { $0.host == 0 }, "\(changes)")
        }
    }

    /// A host that nobody hears of has not too many connections: the line is gone, or the host.
    @Test func anOutageIsNoReasonForFewForLong() {
        var pace = Pace(atMost: 64, from: 32, now: .zero)
        func look(_ tick: Int, bytes: Int, at running: Int) {
            let fact = HostFacts(host: 1, bytes: bytes, running: running, isHeldBack: false)
            let now = Duration.milliseconds(tick * 25)
            _ = pace.tick(bytes: bytes, running: running, waiting: 999, isHeldBack: false, hosts: [fact], now: now)
        }
        for tick in 0..<80 { look(tick, bytes: 100_000, at: 32) }
        // All connections break, and for a minute each new one is refused.
        for tick in 80..<2_480 {
            let running = pace.limit(of: 1) ?? 32
            look(tick, bytes: 0, at: running)
            if tick % 40 == 0 || tick < 112 {
                _ = pace.turnedAway(by: 1, running: running, now: .milliseconds(tick * 25))
            }
        }
        #expect(pace.limit(of: 1).map { $0 >= 16 } ?? true, "\(String(describing: pace.limit(of: 1)))")
    }

    /// Answers that come while a rate is limited, or nothing waits, say nothing of the line.
    @Test(arguments: [false, true]) func whatIsHeldBackDoesNotGrow(isHeldBack: Bool) {
        var pace = Pace(atMost: 64, now: .zero)
        for turn in 1...40 {
            let now = Duration.milliseconds(turn * 25)
            _ = pace.tick(bytes: 4_096 * turn, running: pace.limit, waiting: 1_000, isHeldBack: isHeldBack, now: now)
            for _ in 0..<pace.limit { pace.answered(sent: now - .milliseconds(25), size: 4_096, now: now) }
        }
        #expect(isHeldBack ? pace.limit == Pace.start : pace.limit >= 16, "\(pace.limit)")
    }

    /// Neither a size nor an end is needed to begin, and none of the extremes stops it.
    @Test(arguments: [-1, 0, 1, 2, 1_000]) func itStaysWithinItsBounds(most: Int) {
        var pace = Pace(atMost: most, now: .zero)
        for turn in 1...400 {
            let now = Duration.milliseconds(turn * 25)
            _ = pace.tick(bytes: .max, running: turn % 70, waiting: .max, isHeldBack: turn % 9 == 0, now: now)
            pace.answered(sent: turn % 2 == 0 ? .zero : now, size: turn % 3 == 0 ? nil : .max, now: now)
            pace.ended(sent: now, isKnown: turn % 3 != 0, now: now)
            #expect((1...max(1, most)).contains(pace.limit))
        }
    }
}
