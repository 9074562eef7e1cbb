import Foundation
import SpatePacing
import SpateTestSupport

@testable import SpateHTTPResumption
@testable import SpateSplitting

/// Downloads a file from a simulated server, in simulated time, with the connections that a plan opens.
struct PlanSimulation {
    private final class Wire {
        let id: Int
        let opened: Double
        let first: Double
        let last: Int64
        let speed: Double
        let cutAt: Double
        let stallAt: Double
        let isRefused: Bool
        var end: Int64
        var position: Double
        /// How fast it is in this step.
        var rate = 0.0
        /// What was told to the plan: blocks of 256 KiB, or what came in a quarter of a second.
        var told: Int64
        var toldAt: Double
        var hasBegun = false
        var lastByte: Double
        var window: CongestionWindow
        /// When its first byte comes.
        let begins: Double

        init(
            _ id: Int,
            _ asked: Range<Int64>,
            speed: Double,
            cutAt: Double,
            stallAt: Double,
            isRefused: Bool,
            window: CongestionWindow,
            begins: Double,
            now: Double
        ) {
            (self.id, opened, first, last) = (id, now, Double(asked.lowerBound), asked.upperBound)
            (self.speed, self.cutAt, self.stallAt, self.isRefused) = (speed, cutAt, stallAt, isRefused)
            (end, position, told) = (asked.upperBound, Double(asked.lowerBound), asked.lowerBound)
            (toldAt, lastByte) = (begins, now)
            (self.window, self.begins) = (window, begins)
        }
    }

    private let server: SimulatedServer
    private let count: Int?
    private var random: SeededRandom
    private let step: Double
    private var factors: [Double] = []
    private var wires: [Wire] = []
    /// Those that nothing uses, and since when.
    private var idle: [(window: CongestionWindow, since: Double)] = []
    /// Whether the line carries no more.
    private var isFull = false
    private var plan: SegmentPlan?
    private var filled = FilledRanges()
    private var allowed: Int?
    private var pace = HelperPace(atMost: 64, now: .zero)
    private var nextPace = 0.0
    /// What came since the last look at the pace.
    private var arrived = 0.0
    private var now = 0.0
    private var nextTick = 0.0
    private var nextTry: Double?
    private let crawler: Int

    /// What an all-knowing plan would need, which opens all connections at once and loses none.
    private(set) var best = 0.0
    private(set) var time = Double.infinity
    private(set) var fetched = 0.0
    private(set) var requests = 0
    private(set) var peak = 0

    init(_ server: SimulatedServer, count: Int?, seed: UInt64) {
        self.server = server
        self.count = count
        random = SeededRandom(seed: seed)
        crawler = Int(random.next() % 5)
        if server.varies { for _ in 0..<2_000 { factors.append(random.logarithmic(0.6, 1.6)) } }
        // Fewer than 8 MiB are not split unasked.
        let most = count.map { min($0, Int(server.size >> 20)) } ?? (server.size < 10 << 20 ? 1 : 4)
        let useful = Double(max(1, min(most, server.mostConnections)))
        let ideal = Double(server.size) / min(useful * server.speed, server.line)
        step = min(0.05, max(0.001, ideal / 100), server.loss > 0 ? 0.005 : 0.05)
        best = server.latency
        var received = 0.0
        while received < Double(server.size) {
            let each = min(server.speed * factor(best), server.ramp(best - server.latency))
            received += min(useful * each, server.line) * step
            best += step
        }
        run()
    }

    private func factor(_ time: Double) -> Double {
        factors.isEmpty ? 1 : factors[Int(time / 1.7) % factors.count]
    }

    private var planNow: Duration { .nanoseconds(Int64(now * 1e9)) }

    private mutating func run() {
        open(0, 0..<server.size, isFirst: true)
        while now < best * 10 + 100 {
            now += step
            if let next = nextTry, now >= next { tryAgain() }
            deliver()
            endSome()
            if filled.count == server.size {
                time = now
                return
            }
            if now >= nextPace { lookAtPace() }
            if plan != nil, now >= nextTick {
                nextTick = now + 0.05
                if count == nil, pace.endsSurplus, let plan {
                    let surplus = plan.connectionCount - pace.limit
                    perform { $0.shed(surplus, now: $1) }
                }
                perform { $0.tick(now: $1) }
            }
        }
    }

    private mutating func lookAtPace() {
        nextPace = now + 0.025
        var files: HelperPace.Files?
        if let wish = plan?.wish(now: planNow) {
            let isMore = wish.need == .more
            files = HelperPace.Files(
                most: SegmentPlan.mostAutomatic,
                left: isMore ? wish.left : 0,
                isHasty: wish.need == .haste
            )
            files?.isPrompt = isMore && wish.isPrompt
        }
        pace.tick(
            bytes: Int(arrived),
            downloads: 1,
            connections: max(1, wires.count),
            files: files,
            isHeldBack: false,
            now: planNow
        )
        arrived = 0
    }

    private mutating func open(_ id: Int, _ range: Range<Int64>, isFirst: Bool) {
        let crawls = server.crawls && requests % 5 == crawler
        let isNew = idle.isEmpty
        var window = CongestionWindow(roundTrip: server.latency, loss: server.loss)
        if let (used, since) = idle.popLast() {
            window = used
            window.rest(now - since)
        }
        let isTooMany = wires.count >= server.mostConnections
        wires.append(
            Wire(
                id,
                range,
                speed: crawls ? server.speed / 50 : server.speed,
                cutAt: server.cutAfter.map { Double($0) * (0.5 + random.fraction()) } ?? .infinity,
                stallAt: random.chance(server.stalls) ? Double(range.count) * random.fraction() : .infinity,
                isRefused: isTooMany || !isFirst && server.refusal == .useless,
                window: window,
                // A queue stands before what comes over a full line.
                begins: now + (isNew ? server.firstAnswer : server.latency) + (isFull ? server.latency : 0),
                now: now
            )
        )
        requests += 1
    }

    private mutating func perform(_ event: (inout SegmentPlan, Duration) -> [SegmentPlan.Action]) {
        guard var current = plan else { return }
        if count == nil {
            current.allowance = max(0, pace.limit - current.connectionCount)
            current.mostOfPart = pace.partOfTrial
        }
        let actions = event(&current, planNow)
        plan = current
        filled = current.filled
        allowed = current.lesson ?? allowed
        for action in actions {
            switch action {
            case .open(let id, let range): open(id, range, isFirst: false)
            case .end(let id, let end): wires.first { $0.id == id }?.end = end
            case .close(let id), .replace(let id): wires.removeAll { $0.id == id }
            case .suspect: break
            }
        }
        peak = max(peak, wires.count)
    }

    /// A new attempt, after the last connection has failed.
    private mutating func tryAgain() {
        nextTry = nil
        plan = nil
        wires = []
        open(0, filled.front..<server.size, isFirst: true)
    }

    /// Moves bytes for one step of time. The line is shared fairly.
    private mutating func deliver() {
        var moving: [Wire] = []
        for wire in wires where now >= wire.begins && !wire.isRefused {
            guard wire.position - wire.first < wire.stallAt else { continue }
            let own = server.loss > 0 ? wire.window.bytes(in: 1) : server.ramp(now - wire.begins)
            wire.rate = min(wire.speed * factor(now), own)
            // The slowest first: what it leaves is for the others.
            var place = moving.count
            while place > 0, moving[place - 1].rate > wire.rate { place -= 1 }
            moving.insert(wire, at: place)
        }
        var line = server.line
        var left = moving.count
        for wire in moving {
            let rate = min(wire.rate, line / Double(left))
            line -= rate
            left -= 1
            let stop = Double(min(wire.end, wire.last))
            var moved = rate * step
            if server.loss > 0 { moved = wire.window.move(moved, in: step, &random) }
            moved = max(0, min(stop - wire.position, moved))
            wire.position += moved
            fetched += moved
            arrived += moved
            wire.lastByte = now
            if moved > 0, !wire.hasBegun {
                wire.hasBegun = true
                let id = wire.id
                perform { plan, now in
                    plan.began(id, now: now)
                    return []
                }
            }
            let untold = Int64(wire.position) - wire.told
            let isDue = untold >= 262_144 || untold > 0 && (now - wire.toldAt >= 0.25 || wire.position >= stop)
            if isDue { tell(wire) }
        }
        isFull = line < server.line / 100
    }

    private mutating func tell(_ wire: Wire) {
        guard wires.contains(where: { $0 === wire }), Int64(wire.position) > wire.told else { return }
        let (id, position, from) = (wire.id, Int64(wire.position), wire.told)
        (wire.told, wire.toldAt) = (position, now)
        if plan != nil { return perform { $0.advanced(id, to: position, now: $1) } }
        filled.insert(from..<position)
        guard server.refusal != .useless, server.size - filled.count > SegmentPlan.leastSize else { return }
        plan = SegmentPlan(
            total: server.size,
            filled: filled,
            count: count,
            allowed: allowed,
            position: position,
            asked: server.size,
            answer: .seconds(server.firstAnswer),
            now: planNow
        )
        nextTick = now
        pace.answered(sent: planNow - .seconds(server.firstAnswer), now: planNow)
    }

    private mutating func endSome() {
        for wire in wires {
            guard let end = end(of: wire) else { continue }
            tell(wire)
            // Telling it may have ended it.
            guard let index = wires.firstIndex(where: { $0 === wire }) else { continue }
            wires.remove(at: index)
            if end == .complete { idle.append((wire.window, now)) }
            perform { $0.ended(wire.id, end, now: $1) }
            if wires.isEmpty, nextTry == nil { nextTry = now + SimulatedServer.retryDelay }
        }
    }

    private func end(of wire: Wire) -> SegmentPlan.End? {
        if wire.isRefused { return now - wire.opened >= server.latency ? server.refusal : nil }
        if wire.position >= Double(wire.last) { return .complete }
        if wire.position - wire.first >= wire.cutAt { return .failed }
        return now - wire.lastByte > SimulatedServer.stallTimeout ? .failed : nil
    }
}
