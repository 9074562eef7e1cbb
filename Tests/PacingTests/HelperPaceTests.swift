import SpatePacing
import Testing

/// Files that share a line, in virtual time, with the connections that a ``HelperPace`` allows them.
private struct SharedLine {
    /// Bytes per second.
    var rate = 25e6
    /// What one connection gets at most.
    var ofConnection = Double.infinity
    /// How many times that a connection gets at first, and for how long, until it loses packets.
    var (burst, lasts) = (1.0, 1.0)
    /// With more connections than that, all receive a third.
    var bears = Int.max
    var answer = 0.05
    var isHeldBack = false
    /// Whether the server limits the rate, and not the line: no queue shows that.
    var isShaped = false

    private struct Connection {
        let file: Int
        let opened: Double
        /// How much is left of its part. Then it asks for another.
        var rest = Double.infinity
        /// Until when it waits for an answer.
        var waits: Double
        /// Whether no queue stood before its answer.
        var isPrompt = false
    }

    private(set) var pace: HelperPace
    private var left: [Double]
    private var connections: [Connection]
    private(set) var time = 0.0
    /// The most connections at once.
    private(set) var peak = 0
    /// How many there are at a time, in the mean.
    var mean: Double { sum / time }
    private var sum = 0.0
    private let most: Int
    /// Whether the line carries no more.
    private var isFull = false

    /// - Parameters:
    ///   - count: how many connections there are at first, of all files.
    ///   - most: how many there may be.
    init(files: Int, mebibytes: Double, most: Int = 64) {
        self.most = most
        pace = HelperPace(atMost: most, now: .zero)
        left = Array(repeating: mebibytes * 1_048_576, count: files)
        connections = (0..<files).map { Connection(file: $0, opened: 0, waits: 0.05) }
    }

    /// - Parameter fixed: so many connections all the time; `nil` for as many as are allowed.
    mutating func run(fixed: Int? = nil) {
        let step = 0.005
        var (arrived, nextLook) = (0.0, 0.0)
        pace.answered(sent: .zero, now: .seconds(answer))
        while left.contains(where: { $0 > 0 }), time < 600 {
            time += step
            arrived += move(step)
            peak = max(peak, connections.count)
            sum += Double(connections.count) * step
            guard time >= nextLook else { continue }
            nextLook = time + 0.025
            if fixed == nil { look(Int(arrived)) }
            arrived = 0
            fill(to: fixed ?? pace.limit, fixed)
        }
    }

    private mutating func look(_ arrived: Int) {
        let wishes = left.filter { $0 > Double(8 << 20) }
        let running = left.count { $0 > 0 }
        var files = HelperPace.Files(most: running * 16, left: Int64(wishes.reduce(0, +)), isHasty: false)
        files.isPrompt = connections.contains { $0.isPrompt && time >= $0.waits }
        pace.tick(
            bytes: arrived,
            downloads: running,
            connections: connections.count,
            files: files,
            isHeldBack: isHeldBack,
            now: .seconds(time)
        )
    }

    private mutating func fill(to limit: Int, _ fixed: Int?) {
        let isOver = connections.count > limit
        connections.removeAll { left[$0.file] <= 0 || $0.rest <= 0 && isOver }
        for index in connections.indices where connections[index].rest <= 0 {
            connections[index].rest = pace.partOfTrial.map { Double($0) } ?? .infinity
            connections[index].waits = time + answer
        }
        let open = left.indices.filter { left[$0] > 0 }
        while connections.count < limit, let file = open.min(by: { count(of: $0) < count(of: $1) }) {
            let part = fixed == nil ? pace.partOfTrial.map { Double($0) } : nil
            let waits = time + (isFull ? answer * 1.5 : answer)
            let rest = part ?? .infinity
            connections.append(Connection(file: file, opened: time, rest: rest, waits: waits, isPrompt: !isFull))
        }
        guard pace.endsSurplus else { return }
        while connections.count > max(limit, open.count),
            let last = connections.lastIndex(where: { count(of: $0.file) > 1 })
        {
            connections.remove(at: last)
        }
    }

    private func count(of file: Int) -> Int { connections.count { $0.file == file } }

    /// Each connection doubles its rate with each answer, until it has its share.
    private mutating func move(_ step: Double) -> Double {
        let active = connections.count { time >= $0.waits && $0.rest > 0 }
        let share = rate / Double(max(1, active)) / (connections.count > bears ? 3 : 1)
        var moved = 0.0
        for index in connections.indices {
            let connection = connections[index]
            guard left[connection.file] > 0, connection.rest > 0 else { continue }
            if time < connection.waits { continue }
            let age = time - connection.opened - answer
            let most = 14_480 / answer * pow(2, min(age / answer, 40))
            let ofConnection = age < lasts ? ofConnection * burst : ofConnection
            let bytes = min(min(share, ofConnection, most) * step, connection.rest)
            moved += min(bytes, left[connection.file])
            left[connection.file] -= bytes
            connections[index].rest -= bytes
        }
        isFull = !isShaped && moved >= rate * step * 0.95
        return moved
    }

    private func pow(_ base: Double, _ exponent: Double) -> Double {
        var (result, rest) = (1.0, exponent)
        while rest >= 1 { (result, rest) = (result * base, rest - 1) }
        return result * (1 + rest)
    }
}

/// How many connections files get, in models of lines.
@Suite struct HelperPaceTests {
    private func ran(
        files: Int = 1,
        mebibytes: Double = 200,
        fixed: Int? = nil,
        _ change: (inout SharedLine) -> Void = { _ in }
    ) -> SharedLine {
        var line = SharedLine(files: files, mebibytes: mebibytes)
        change(&line)
        line.run(fixed: fixed)
        return line
    }

    /// What one file gains there is what the others lose.
    @Test(arguments: [1, 2, 6, 16]) func onAFullLineFewAreTried(files: Int) {
        let line = ran(files: files)
        #expect(line.peak <= 2 * files)
        #expect(line.time <= ran(files: files, fixed: files).time * 1.05)
    }

    @Test(arguments: [(1, 8.0), (1, 16), (2, 8), (4, 4)])
    func whereEachConnectionIsSlowMoreAreOpened(files: Int, share: Double) {
        func slow(_ line: inout SharedLine) { line.ofConnection = line.rate / share / Double(files) }
        let line = ran(files: files, slow)
        let best = (0...4).map { ran(files: files, fixed: files << $0, slow).time }.min() ?? 0
        #expect(line.time <= best * 1.25, "\(line.time) s, at best \(best) s")
        #expect(line.pace.lesson ?? 0 >= Int(share) / 2)
    }

    /// Until it loses packets, a connection gets more than later: so a second one seems to bring nothing.
    @Test(arguments: [(2, 0.5), (2, 0.8), (4, 0.5)])
    func whereALineLosesPacketsManyAreOpenedSoon(burst: Double, lasts: Double) {
        func losing(_ line: inout SharedLine) {
            (line.rate, line.answer, line.ofConnection) = (37e6, 0.1, 1.5e6)
            (line.burst, line.lasts) = (burst, lasts)
        }
        let line = ran(mebibytes: 48, losing)
        let best = ran(mebibytes: 48, fixed: 16, losing).time
        #expect(line.time <= best * 1.7, "\(line.time) s, at best \(best) s")
    }

    /// What is answered soon need not help: a server may share one rate among all.
    @Test func whereAServerSharesARateFewAreTried() {
        let line = ran { $0.isShaped = true }
        #expect(line.mean <= 2 && line.time <= ran(fixed: 1).time * 1.05)
    }

    @Test(arguments: [2, 4, 9]) func whereTheServerCollapsesItGoesBack(bears: Int) {
        func collapsing(_ line: inout SharedLine) { (line.bears, line.ofConnection) = (bears, line.rate / 8) }
        let line = ran(collapsing)
        let best = ran(fixed: min(bears, 8), collapsing).time
        #expect(line.time <= best * 1.5, "\(line.time) s, at best \(best) s")
    }

    /// A rate limit, or the disk, says nothing of the line.
    @Test func whatIsHeldBackGetsNoMore() {
        let line = ran {
            $0.ofConnection = $0.rate / 8
            $0.isHeldBack = true
        }
        #expect(line.peak == 1)
    }

    /// Half of what has helped before is there at once; the rest must help again.
    @Test func aHostThatIsKnownBeginsWithHalf() {
        var pace = HelperPace(atMost: 64, now: .zero)
        pace.expect(8)
        #expect(pace.limit == 4)
        pace.expect(2)
        #expect(pace.limit == 4)
        pace.expect(1_000)
        #expect(pace.limit == 64)
    }

    @Test func whereFilesWaitEachHasOne() {
        var pace = HelperPace(atMost: 64, now: .zero)
        pace.expect(16)
        pace.tick(bytes: 0, downloads: 3, connections: 8, files: nil, isHeldBack: false, now: .milliseconds(25))
        #expect(pace.limit == 3)
    }
}
