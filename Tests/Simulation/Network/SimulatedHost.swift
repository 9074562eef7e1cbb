import SpateHTTPSyntax
import SpateHTTPTransport
package import SpateTestSupport

/// A server with its line: how far away it is, how much it takes, and how it refuses.
package final class SimulatedHost: @unchecked Sendable {
    package let name: String
    /// Such as `http://host1.example`.
    package let origin: String
    /// What is wrong with it, in the order of ``NetworkFault``.
    package private(set) var faults: [NetworkFault]
    /// Transfers that it serves now, whose process may have been killed.
    var transfers: [SimulatedTransfer] = []
    /// Connections that a process keeps for the next request.
    private var idle: [Destination: [SimulatedConnection]] = [:]
    private let addresses: SimulatedAddresses
    private var connectionCount = 0
    private var random: SeededRandom
    private let latency: Duration
    /// Bytes per second.
    private let bandwidth: Int
    private let rhythm: Rhythm
    private let connectionLimit: Int
    private let refusal: Refusal
    /// How it refuses a connection that is too many.
    private enum Refusal {
        case status(Int)
        /// A reset before the head.
        case reset
        /// It takes no connection.
        case noConnection
    }
    private var line: SimulatedLine
    private let banAfter: Int
    /// How it refuses a banned client: 403, or 429 with the time that is left.
    private let banStatus: Int
    private let banEndsConnections: Bool
    private let banTime: Duration
    private var requestsOfPeriod: [Duration] = []
    private var bannedUntil = Duration.zero
    private let isFlooded: Bool
    private let page: SimulatedContent
    /// How long the page of a refusal stops in its middle.
    private let pagePause: Duration?

    /// - Parameter random: all that is random about it.
    package init(_ name: String, isSecure: Bool, faults: [NetworkFault], random: SeededRandom) {
        var random = random
        self.name = name
        origin = "\(isSecure ? "https" : "http")://\(name)"
        self.faults = faults
        faultsOfLine = faults.filter { NetworkFault.ofLines.contains($0) }
        latency = random.time(.microseconds(500), .milliseconds(60))
        bandwidth = random.number(in: 1...60) * 1_000_000
        rhythm = Rhythm(&random)
        connectionLimit = random.number(in: 1...6)
        refusal = random.pick([.status(503), .status(503), .status(429), .status(429), .reset, .noConnection])
        banAfter = random.number(in: 3...30)
        banStatus = random.pick([403, 429])
        banEndsConnections = random.onceIn(2)
        banTime = random.time(.seconds(1), .seconds(90))
        isFlooded = random.onceIn(2)
        page = SimulatedContent(seed: random.next(), count: random.number(in: 0...1_500), label: "refusal")
        let pause = random.time(.milliseconds(50), .seconds(20))
        pagePause = random.onceIn(3) ? pause : nil
        addresses = SimulatedAddresses(&random)
        line = SimulatedLine(&random)
        self.random = random
    }

    var isSecure: Bool { origin.hasPrefix("https") }

    func has(_ fault: NetworkFault) -> Bool { faults.contains(fault) }

    /// Whether its rates change while bytes come.
    var hasLine: Bool { !faultsOfLine.isEmpty }

    private(set) var faultsOfLine: [NetworkFault] = []

    /// From now on it is up and fast.
    func heal() {
        (faults, faultsOfLine) = ([], [])
        bannedUntil = .zero
        line.forgive()
    }

    // MARK: Connecting

    /// What a process connects to: libcurl keeps a connection to a chosen address for requests to that address.
    private struct Destination: Hashable {
        let process: Int32
        let address: String?
    }

    enum Reception {
        /// A new or kept connection.
        case connects(SimulatedConnection, after: Duration)
        /// Nobody answers.
        case silence
        case fails(NetworkFault, TransportError.Kind, after: Duration)
    }

    /// What a lookup of its addresses finds, and how long it takes.
    func lookup(_ now: Duration) -> (answer: LookupAnswer, time: Duration) {
        let (answer, time) = addresses.lookup(&random)
        let isUnknown = has(.unknownHost) && rhythm.isOn(now) && answer != .unknown
        return (isUnknown ? .noSuchName : answer, time)
    }

    func hasAddress(_ address: String) -> Bool { addresses.all.contains(address) }

    /// Whether an address has this fault now.
    func has(_ fault: NetworkFault, at address: String?, _ now: Duration) -> Bool {
        has(fault) && address.map { addresses.isBad($0, now) } ?? false
    }

    /// What a process that connects meets.
    ///
    /// - Parameter chosen: the address that it has chosen; `nil` for the first one that takes connections.
    func receive(_ process: Int32, at chosen: String?, _ now: Duration) -> Reception {
        let chance = { [self] (count: Int) in random.onceIn(count) }
        let (isSlow, breaks, isDown) = (chance(3), chance(2), rhythm.isOn(now))
        let oneWay = has(.slowHost) ? latency * (isSlow ? 60 : 8) : answerDelay
        if isDown, has(.unknownHost) { return .fails(.unknownHost, .hostNotFound, after: .milliseconds(3)) }
        if isDown, has(.unreachableHost) { return .silence }
        if isDown, has(.refusedConnections) {
            return .fails(.refusedConnections, .connectionFailed, after: oneWay * 2)
        }
        if has(.connectionLimit), case .noConnection = refusal, openCount >= connectionLimit {
            return .fails(.connectionLimit, .connectionFailed, after: oneWay * 2)
        }
        if let kept = idle[Destination(process: process, address: chosen)]?.popLast() {
            return .connects(kept, after: oneWay)
        }
        let usable = (chosen.map { [$0] } ?? addresses.all).first { !has(.refusingAddress, at: $0, now) }
        guard let address = usable else { return .fails(.refusingAddress, .connectionFailed, after: oneWay * 2) }
        if breaks, isDown, has(.brokenHandshakes) {
            return .fails(.brokenHandshakes, isSecure ? .tlsHandshake : .connectionFailed, after: oneWay * 3)
        }
        if isDown, isSecure, has(.untrustedCertificate) {
            return .fails(.untrustedCertificate, .tlsUntrusted, after: oneWay * 4)
        }
        connectionCount += 1
        let connection = SimulatedConnection(number: connectionCount, address: address, isChosen: chosen != nil)
        return .connects(connection, after: oneWay * (isSecure ? 5 : 3))
    }

    /// The way of an answer.
    var answerDelay: Duration { has(.longRoundTrip) ? line.roundTrip / 2 : latency }

    /// How much later an answer comes because of the other requests under way.
    var delayOfOthers: Duration { has(.laterAnswers) ? line.delay(of: openCount) : .zero }

    /// How long it takes until a connection's window has grown.
    var roundTrip: Duration { answerDelay * 2 }

    /// A connection that can be used again.
    func keep(_ connection: SimulatedConnection, of process: Int32) {
        let address = connection.isChosen ? connection.address : nil
        idle[Destination(process: process, address: address), default: []].append(connection)
    }

    /// The rate of one of its connections for now.
    ///
    /// - Parameters:
    ///   - own: what its answer may have.
    ///   - window: what its connection sends in a round trip.
    ///   - common: what the line of the machine bears.
    func speed(
        _ own: Int?,
        at address: String?,
        window: Int,
        common: (receiving: Int, rate: Int),
        _ now: Duration
    ) -> LineSpeed {
        var speed = LineSpeed(has(.narrowHost) ? 100_000 + bandwidth / 100 : bandwidth)
        if hasLine {
            let load = SimulatedLine.Load(held: openCount, receiving: receivingCount, common: common)
            line.lower(&speed, faultsOfLine, load, now)
        }
        if has(.crawlingAddress, at: address, now) { speed.lower(to: speed.rate / 1_000) }
        if has(.slowStart) { speed.lower(to: Int(Double(window) / (roundTrip / .seconds(1))), .slowStart) }
        if let own { speed.lower(to: own) }
        speed.raise(to: 1_000)
        return speed
    }

    /// The number of its connections has been another one.
    func connectionsChanged(from former: Int, _ now: Duration) { line.changes(from: former, now) }

    /// How many of its connections receive a body now.
    var receivingCount: Int { transfers.reduce(0) { $0 + ($1.isReceiving ? 1 : 0) } }

    /// How many connections it serves.
    package var openCount: Int { transfers.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }

    // MARK: Refusing

    /// How it refuses a request for a file that has arrived; `nil` if it does not.
    func refuse(_ url: HTTPURL, _ now: Duration) -> (NetworkFault, SimulatedAnswer)? {
        var random = random.fork()
        let (isHit, status) = (isFlooded || random.onceIn(2), random.pick([429, 503]))
        let wait = random.time(.seconds(1), .seconds(random.onceIn(6) ? 600 : 20))
        requestsOfPeriod = requestsOfPeriod.filter { $0 > now - .seconds(20) } + [now]
        let sameFile = transfers.count { $0.isOpen && $0.request.url == url }
        let isTooMuch = has(.ban) && requestsOfPeriod.count > banAfter || has(.banForHelpers) && sameFile > 1
        if isTooMuch, now >= bannedUntil {
            bannedUntil = now + banTime
            if banEndsConnections { for transfer in transfers { transfer.breakOff() } }
        }
        if now < bannedUntil {
            let rest = banStatus == 429 ? bannedUntil - now : nil
            return (has(.banForHelpers) ? .banForHelpers : .ban, answer(banStatus, wait: rest, now, &random))
        }
        // This one is counted with them.
        if has(.connectionLimit), openCount > connectionLimit {
            if case .status(let status) = refusal {
                return (.connectionLimit, answer(status, wait: wait, now, &random))
            }
            var answer = SimulatedAnswer(0, page)
            answer.noHead = .broken
            return (.connectionLimit, answer)
        }
        guard has(.busyHost), rhythm.isOn(now), isHit else { return nil }
        let rest = random.onceIn(2) ? rhythm.rest(now) : wait
        return (.busyHost, answer(status, wait: rest, now, &random))
    }

    private func answer(
        _ status: Int,
        wait: Duration?,
        _ now: Duration,
        _ random: inout SeededRandom
    ) -> SimulatedAnswer {
        var answer = SimulatedAnswer(status, page)
        let date = now.serverDate
        answer.add("Date", date.httpDate)
        answer.add("Content-Length", "\(page.count)")
        if let pagePause { answer.pause = .init(position: page.count / 2, length: pagePause) }
        guard let wait else { return answer }
        let seconds = Int64((wait / .seconds(1)).rounded(.up))
        if has(.retryAfterDate) {
            answer.add("Retry-After", (date + seconds).httpDate)
        } else if has(.retryAfter) {
            answer.add("Retry-After", "\(seconds)")
        } else {
            return answer
        }
        answer.retryAfter = .seconds(seconds)
        return answer
    }
}

extension Duration {
    /// The second since 1970 on a server whose clock is right.
    var serverDate: Int64 { (SimulatedProcess.firstDate + self).components.seconds }
}

extension Int64 {
    var httpDate: String { HTTPDate(secondsSince1970: self)?.text ?? "" }
}
