import SpateHTTPSyntax
import SpateHosts
import SpateTestSupport
import Testing

@testable import SpatePacing

/// A line with a server at its end, in virtual time, and the files to fetch over it.
struct LineModel: Sendable, CustomTestStringConvertible {
    enum Sizes: Sendable {
        case between(Double, Double)
        /// Many small files, some of a megabyte, and one of a hundred of 12 MB.
        case mixed
    }

    let name: String
    var count = 1
    var sizes = Sizes.between(1e6, 1e6)
    /// How long an answer takes, in seconds, and a handshake before it.
    var answer = 0.05
    /// The bytes per second of all connections together.
    var total = Double.infinity
    /// The bytes per second of each connection.
    var each = Double.infinity
    /// Whether each connection gets what it may have in a second at once, as nginx does it for `limit_rate`.
    var hasBursts = false
    /// The files come from so many servers in turn.
    var hosts = 1
    /// With more connections, the first server sends next to nothing for three seconds.
    var bears: Int?
    /// With so many, the server answers 503.
    var refuses: Int?
    /// With so many, the first server closes a connection at once. Its download comes back after a second.
    var closes: Int?
    /// How much later each answer comes for each other one.
    var delayForEach = 0.0
    /// By how much of it the rate of all goes up and down.
    var noise = 0.0
    /// From this second on, all share this rate.
    var change: (second: Double, total: Double)?

    var testDescription: String { name }
}

extension LineModel {
    static let all: [LineModel] = [
        LineModel(name: "a round trip", count: 1500, sizes: .between(4e3, 30e3), answer: 0.06),
        LineModel(name: "2,500 files", count: 2500, sizes: .between(12e3, 12e3), total: 25e6),
        LineModel(name: "a long round trip", count: 2500, sizes: .between(12e3, 12e3), answer: 0.2, total: 25e6),
        LineModel(name: "48 files of a megabyte", count: 48, total: 25e6),
        LineModel(name: "a full line", count: 24, sizes: .between(4e6, 8e6), answer: 0.03, total: 16e6),
        LineModel(name: "a rate for each", count: 40, sizes: .between(2e6, 4e6), answer: 0.03, each: 1.2e6),
        LineModel(
            name: "a collapse beyond nine",
            count: 400,
            sizes: .between(1e6, 2e6),
            answer: 0.03,
            each: 2.5e6,
            bears: 9
        ),
        LineModel(
            name: "a collapse of slow connections",
            count: 400,
            sizes: .between(1.5e5, 1.5e5),
            answer: 0.03,
            each: 2.5e5,
            bears: 9
        ),
        LineModel(
            name: "one of two hosts collapses beyond nine",
            count: 400,
            sizes: .between(1e6, 2e6),
            answer: 0.03,
            each: 2.5e6,
            hosts: 2,
            bears: 9
        ),
        LineModel(
            name: "one of eight hosts collapses beyond two",
            count: 800,
            sizes: .between(5e5, 1e6),
            answer: 0.03,
            each: 2.5e6,
            hosts: 8,
            bears: 2
        ),
        LineModel(name: "refusals from eleven on", count: 400, sizes: .between(2e5, 4e5), each: 4e6, refuses: 11),
        LineModel(
            name: "closed connections from eleven on",
            count: 400,
            sizes: .between(2e5, 4e5),
            each: 4e6,
            closes: 11
        ),
        LineModel(
            name: "one of two hosts closes connections",
            count: 400,
            sizes: .between(2e5, 4e5),
            each: 4e6,
            hosts: 2,
            closes: 6
        ),
        LineModel(
            name: "later answers",
            count: 1200,
            sizes: .between(4e3, 30e3),
            answer: 0.02,
            delayForEach: 17e3 / 3e6
        ),
        LineModel(name: "mixed sizes", count: 700, sizes: .mixed, total: 20e6),
        LineModel(
            name: "noise",
            count: 600,
            sizes: .between(1e5, 2e6),
            answer: 0.04,
            total: 60e6,
            each: 2e6,
            noise: 0.5
        ),
        LineModel(
            name: "a rate that falls",
            count: 500,
            sizes: .between(4e5, 8e5),
            answer: 0.04,
            total: 60e6,
            each: 3e6,
            change: (6, 12e6)
        ),
        LineModel(name: "bursts", count: 300, answer: 0.001, each: 3e5, hasBursts: true),
        LineModel(
            name: "bursts after a round trip",
            count: 600,
            sizes: .between(2e6, 4e6),
            answer: 0.05,
            each: 1e6,
            hasBursts: true
        ),
    ]
}

/// What came of a model.
struct PlayedLine {
    var seconds = 0.0
    /// How many downloads ran on average.
    var meanRunning = 0.0
    /// When the limit changed, to what and why.
    var changes: [(second: Double, limit: Int, reason: Pace.Reason?)] = []
    /// How many of each host's downloads may run, where that changed.
    var hostChanges: [HostChange] = []
}

/// Plays a model with a fixed number of downloads, or with a ``Pace``.
struct LinePlay {
    private struct File {
        var size: Double
        let host: Int
    }

    private struct Running {
        let host: Int
        let began: Double
        let firstByte: Double
        var left: Double
        var hasAnswer = false
        /// How much its connection may send in a round trip. TCP doubles it.
        var congestionWindow: Double
        /// What is left of the present burst, and when the next one begins.
        var burst = (left: 0.0, next: 0.0)
    }

    private static let step = 0.005
    private static let firstWindow = 14_480.0
    private static let largestWindow = 4e6
    private static let limit = 400.0

    private let model: LineModel
    private let fixed: Int?
    private var pace: Pace
    private var random: SeededRandom
    private var waiting: [File] = []
    /// Those that were turned away, and when they come back.
    private var turnedAway: [(file: File, until: Double)] = []
    private var hostChanges: [HostChange] = []
    private var running: [Running] = []
    /// The windows of the connections that no download uses.
    private var idle: [Double] = []
    private var now = 0.0
    private var punishedUntil = -1.0
    private var hostLimits: [Int: Int] = [:]
    private var restraints = HostRestraints()
    private let host: HTTPOrigin
    private let downloads = (0..<64).map { _ in Token() }

    private final class Token: Sendable {}

    init(_ model: LineModel, fixed: Int? = nil, seed: UInt64) throws {
        (self.model, self.fixed) = (model, fixed)
        host = try HTTPURL("http://host/").origin
        pace = Pace(atMost: 64, now: .zero)
        random = SeededRandom(seed: seed)
        waiting = (0..<model.count).map { File(size: size(), host: $0 % model.hosts) }
    }

    private mutating func size() -> Double {
        switch model.sizes {
        case .between(let least, let most): return Double.random(in: least...most, using: &random)
        case .mixed:
            if Int.random(in: 0..<100, using: &random) == 0 { return 12e6 }
            let sizes = [4e3, 4e3, 4e3, 5e4, 5e4, 1e6]
            return sizes[Int.random(in: 0..<sizes.count, using: &random)] * Double.random(in: 0.5...2, using: &random)
        }
    }

    mutating func play() -> PlayedLine {
        var played = PlayedLine()
        var last = 0
        while !waiting.isEmpty || !running.isEmpty || !turnedAway.isEmpty, now < Self.limit {
            now += Self.step
            waiting += turnedAway.filter { $0.until <= now }.map(\.file)
            turnedAway.removeAll { $0.until <= now }
            start()
            let bytes = receive()
            played.meanRunning += Double(running.count) * Self.step
            guard fixed == nil else { continue }
            let isHeldBack = waiting.isEmpty || restraints.limit(of: host, now: time).map { $0 < pace.limit } ?? isQuiet
            let changes = pace.tick(
                bytes: bytes.reduce(0, +),
                running: running.count,
                waiting: waiting.count,
                isHeldBack: isHeldBack,
                hosts: facts(bytes),
                now: time
            )
            for change in changes { follow(change) }
            if pace.endsSurplus { endLatest(running.indices.dropFirst(pace.limit)) }
            if pace.limit != last { played.changes.append((now, pace.limit, pace.reason)) }
            last = pace.limit
        }
        played.seconds = now
        played.hostChanges = hostChanges
        played.meanRunning /= now
        return played
    }

    private func facts(_ bytes: [Int]) -> [HostFacts] {
        bytes.indices.map { host in
            let waits = waiting.contains { $0.host == host }
            return HostFacts(host: host, bytes: bytes[host], running: count(of: host), isHeldBack: !waits)
        }
    }

    private func count(of host: Int) -> Int { running.count { $0.host == host } }

    private mutating func follow(_ change: HostChange) {
        hostLimits[change.host] = change.limit
        hostChanges.append(change)
        guard change.cause == .collapse, let limit = change.limit else { return }
        endLatest(running.indices.filter { running[$0].host == change.host }.dropFirst(limit))
    }

    /// Those wait again.
    private mutating func endLatest(_ indices: some BidirectionalCollection<Int>) {
        for index in indices.reversed() {
            let ended = running.remove(at: index)
            waiting.append(File(size: ended.left, host: ended.host))
        }
    }

    private var time: Duration { .microseconds(Int64(now * 1e6)) }

    private var isQuiet: Bool { restraints.isQuiet(host, now: time) }

    private mutating func start() {
        var limit = fixed ?? pace.limit
        if let allowed = restraints.limit(of: host, now: time) { limit = min(limit, allowed) }
        while running.count < limit, !isQuiet, let next = waiting.lastIndex(where: mayStart) {
            if let most = model.refuses, running.count >= most {
                _ = restraints.note(
                    HostRestraint.Refusal(host: host, wait: .seconds(1), isOfHost: true),
                    at: host,
                    of: (ObjectIdentifier(downloads[running.count % downloads.count]), began: time),
                    running: running.count + 1,
                    now: time
                )
                return
            }
            let file = waiting.remove(at: next)
            if let most = model.closes, file.host == 0, count(of: 0) >= most {
                turnedAway.append((file, now + 1))
                let change = pace.turnedAway(by: 0, running: count(of: 0) + 1, now: time)
                if let change { follow(change) }
                continue
            }
            let window = idle.popLast()
            let wait = model.answer * Double.random(in: 0.8...1.4, using: &random)
            let delay = wait + Double(running.count) * model.delayForEach + (window == nil ? model.answer : 0)
            running.append(
                Running(
                    host: file.host,
                    began: now,
                    firstByte: now + delay,
                    left: file.size,
                    congestionWindow: window ?? Self.firstWindow
                )
            )
        }
    }

    private func mayStart(_ file: File) -> Bool { hostLimits[file.host].map { count(of: file.host) < $0 } ?? true }

    /// Returns how many bytes came from each host.
    private mutating func receive() -> [Int] {
        if let bears = model.bears, count(of: 0) > bears { punishedUntil = now + 3 }
        let coming = running.indices.filter { running[$0].firstByte <= now }
        var bytes = Array(repeating: 0.0, count: model.hosts)
        for (index, rate) in zip(coming, rates(of: coming)) {
            if !running[index].hasAnswer {
                running[index].hasAnswer = true
                let size = Int64(running[index].left)
                pace.answered(sent: .seconds(running[index].began), size: size, now: time)
            }
            if model.hasBursts, running[index].burst.next <= now { running[index].burst = (model.each, now + 1) }
            let most = model.hasBursts ? running[index].burst.left : rate * Self.step
            let count = min(running[index].left, most)
            running[index].burst.left -= count
            bytes[running[index].host] += count
            running[index].left -= count
            // Doubled in each round trip.
            let grown = running[index].congestionWindow * (1 + Self.step / model.answer)
            running[index].congestionWindow = min(grown, Self.largestWindow)
            if running[index].left <= 0 {
                idle.append(running[index].congestionWindow)
                pace.ended(sent: .seconds(running[index].began), isKnown: true, host: running[index].host, now: time)
            }
        }
        running.removeAll { $0.left <= 0 }
        return bytes.map { Int($0) }
    }

    /// What each gets: its own rate, or an equal share of what the others leave.
    private mutating func rates(of coming: [Int]) -> [Double] {
        var total = model.total
        if let change = model.change, now > change.second { total = change.total }
        if model.noise > 0 { total *= Double.random(in: 1 - model.noise...1 + model.noise, using: &random) }
        let isPunished = now < punishedUntil
        var rates = coming.map { index in
            let rate = min(model.each, running[index].congestionWindow / model.answer)
            return isPunished && running[index].host == 0 ? rate * 0.02 : rate
        }
        var left = (bytes: total, connections: coming.count)
        for index in rates.indices.sorted(by: { rates[$0] < rates[$1] }) {
            rates[index] = min(rates[index], left.bytes / Double(left.connections))
            left = (left.bytes - rates[index], left.connections - 1)
        }
        return rates
    }
}
