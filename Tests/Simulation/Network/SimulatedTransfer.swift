import SpateHTTPSyntax
import SpateHTTPTransport

/// One request, from its start to its end, as `CurlTransfer` runs it: what it gathers, when it passes it on, and how it
/// ends are the same.
final class SimulatedTransfer: Transfer, @unchecked Sendable {
    let number: Int
    let process: SimulatedProcess
    let request: TransportRequest
    private let network: SimulatedNetwork
    /// One thread at a time calls its sink.
    private let lane = Timeline.Lane()
    private var sink: (any TransportSink)?
    private(set) var host: SimulatedHost?
    private(set) var connection: SimulatedConnection?
    private var phase = Phase.connecting
    private var isCancelled = false
    /// How much of the body has been passed on, or discarded.
    private var position = 0
    private var pauseIsOver = false
    private var gathering: Gathering?
    /// Counts the waits for bytes: only the last one matters.
    private var turn = 0
    /// Whether it takes its part of its host's line.
    private(set) var isReceiving = false
    /// When the window of its connection grows next. See ``NetworkFault/slowStart``.
    private var windowGrowth: Duration?
    /// Bytes that its rate limit has granted, and that have not come yet.
    private var granted = 0
    private var discardEnd = Duration.zero

    private enum Phase {
        case connecting
        case waiting
        case body(SimulatedAnswer)
        case discarding(SimulatedAnswer)
        case ended
    }

    /// A block of which not all bytes have come.
    private struct Gathering {
        let began: Duration
        let wanted: Int
        let answer: SimulatedAnswer
        var speed: LineSpeed
        /// How many came before it had this speed, since when it has it, and how many the process knows of.
        var arrived = 0.0
        var since: Duration
        var noted = 0

        func count(_ now: Duration) -> Double {
            min(Double(wanted), arrived + Double(speed.rate) * ((now - since) / .seconds(1)))
        }

        mutating func change(to speed: LineSpeed, _ now: Duration) {
            (arrived, since, self.speed) = (count(now), now, speed)
        }
    }

    // As in CurlTransfer and BodyBuffer.
    private static let discardLimit = 64 * 1_024
    private static let discardTime = Duration.seconds(5)
    private static let blockSize = 256 * 1_024
    private static let shortBlockSize = 16 * 1_024
    private static let longestDelay = Duration.milliseconds(250)
    /// A process reads what has come, if only to count it. Without a line that may change, once for each block.
    private static let readInterval = Duration.milliseconds(25)

    init(
        _ number: Int,
        _ request: TransportRequest,
        of process: SimulatedProcess,
        _ sink: any TransportSink,
        in network: SimulatedNetwork
    ) {
        (self.number, self.request, self.process, self.sink) = (number, request, process, sink)
        self.network = network
    }

    private var timeline: Timeline { network.timeline }

    /// Whether its server has a connection open for it.
    var isOpen: Bool {
        switch phase {
        case .connecting, .ended: false
        case .waiting, .body, .discarding: process.isAlive
        }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { !process.isAlive }
    }

    /// Runs this after a while, unless the transfer has ended, or its process.
    private func after(_ delay: Duration, _ work: @escaping () -> Void) {
        timeline.after(delay, in: process, on: lane) { [self] in
            if case .ended = phase { return }
            work()
        }
    }

    // MARK: Connecting

    func begin() {
        after(timeline.time(upTo: .microseconds(200))) { [self] in connect() }
    }

    private func connect() {
        guard let host = network.host(request.url) else {
            return after(.milliseconds(3)) { [self] in fail(.hostNotFound, "Could not resolve host") }
        }
        self.host = host
        switch host.receive(process.number, at: request.address, timeline.now) {
        case .connects(let new, let delay) where delay < request.settings.connectTimeout:
            connection = new
            after(delay) { [self] in arrive(at: host) }
        case .connects, .silence:
            if host.has(.unreachableHost) { network.occurs(.unreachableHost) }
            after(request.settings.connectTimeout) { [self] in fail(.connectTimeout, "Connection timed out") }
        case .fails(let fault, let kind, let delay):
            network.occurs(fault)
            after(min(delay, request.settings.connectTimeout)) { [self] in fail(kind, "\(fault)") }
        }
    }

    /// The server has the request.
    private func arrive(at host: SimulatedHost) {
        phase = .waiting
        let former = host.openCount
        host.transfers.append(self)
        network.connectionsChanged(of: host, from: former)
        let answer = network.answer(self, at: host)
        if host.has(.silentAddress, at: connection?.address, timeline.now) {
            network.occurs(.silentAddress)
            return after(request.settings.stallTimeout) { [self] in fail(.headTimeout, "no complete response head") }
        }
        if let kind = answer.noHead {
            return after(host.answerDelay) { [self] in fail(kind, "no response") }
        }
        let others = host.delayOfOthers
        if others > .zero { network.occurs(.laterAnswers) }
        guard let delay = answer.delay.map({ $0 + others }), delay < request.settings.stallTimeout else {
            return after(request.settings.stallTimeout) { [self] in fail(.headTimeout, "no complete response head") }
        }
        // Answers overtake each other on their way.
        let way = host.answerDelay + timeline.time(upTo: .milliseconds(2))
        after(delay + way) { [self] in receive(answer) }
    }

    private func receive(_ answer: SimulatedAnswer) {
        guard let sink else { return }
        network.deliversHead(self, answer)
        // While it runs, nothing else of this transfer does.
        phase = .body(answer)
        switch sink.receive(head: ResponseHead(status: answer.status, fields: answer.fields)) {
        case .deliver: tellAddress(answer)
        case .discard:
            phase = .discarding(answer)
            discardEnd = timeline.now + Self.discardTime
        case .stop: return end(.stopped)
        }
        next(answer)
    }

    /// As `CurlTransfer` does.
    private func tellAddress(_ answer: SimulatedAnswer) {
        let isLarge = answer.framing == .length && answer.range.count >= 1 << 20
        if isLarge || request.rangeStart != nil, let connection { sink?.connected(to: connection.address) }
    }

    // MARK: The body

    /// Waits for the next block, pause or end.
    private func next(_ answer: SimulatedAnswer) {
        let (ending, goal) = answer.end
        if let pause = answer.pause, pause.position == position, !pauseIsOver, position < goal || ending != .whole {
            pauseIsOver = true
            rest()
            guard let length = pause.length, length < request.settings.stallTimeout else {
                return wait(request.settings.stallTimeout) { [self] in fail(.stalled, "no byte within the limit") }
            }
            return wait(length) { [self] in next(answer) }
        }
        if position == goal { return conclude(answer, 0) }
        var milestone = goal
        if let pause = answer.pause, !pauseIsOver, pause.position > position { milestone = min(goal, pause.position) }
        if host?.has(.crawlingAddress, at: connection?.address, timeline.now) ?? false {
            network.occurs(.crawlingAddress)
        }
        receives()
        let speed = speed(of: answer)
        let timely = max(1, Int(Double(speed.rate) * (Self.longestDelay / .seconds(1))))
        let wanted = min(milestone - position, blockSize(answer), timely)
        let count = allowance(wanted)
        if count == 0 { return wait(RateShare.pause) { [self] in next(answer) } }
        gathering = Gathering(began: timeline.now, wanted: count, answer: answer, speed: speed, since: timeline.now)
        gather()
    }

    // MARK: Bytes that come

    /// Waits until the block is complete, its time is over, or its speed may be another one.
    private func gather() {
        guard let gathering else { return }
        turn += 1
        let (turn, rest) = (turn, Double(gathering.wanted) - gathering.arrived)
        var delay = Duration.nanoseconds(Int64((rest * 1_000_000_000 / Double(gathering.speed.rate)).rounded(.up)))
        if host?.hasLine ?? false {
            delay = min(delay, Self.readInterval, gathering.began + Self.longestDelay - timeline.now)
            if let until = gathering.speed.until { delay = min(delay, until - timeline.now) }
            if let windowGrowth { delay = min(delay, windowGrowth - timeline.now) }
        }
        wait(delay) { [self] in
            if self.turn == turn { look() }
        }
    }

    private func look() {
        guard var gathering else { return }
        let now = timeline.now
        let count = Int(gathering.count(now).rounded())
        let isOver = count > 0 && now - gathering.began >= Self.longestDelay
        if count >= gathering.wanted || isOver {
            granted += gathering.wanted - count
            noteArrival(count - gathering.noted)
            return arrive(count, gathering.answer)
        }
        noteArrival(count - gathering.noted)
        gathering.noted = count
        self.gathering = gathering
        adapt()
    }

    private func noteArrival(_ count: Int) {
        if case .body = phase { request.noteArrival(count) }
    }

    /// Others share its line, or do so no more.
    func adapt() {
        guard gathering != nil, process.isAlive else { return }
        growWindow()
        guard var gathering else { return }
        gathering.change(to: speed(of: gathering.answer), timeline.now)
        self.gathering = gathering
        gather()
    }

    private func speed(of answer: SimulatedAnswer) -> LineSpeed {
        guard let host else { return LineSpeed(1) }
        let speed = host.speed(
            answer.rate,
            at: connection?.address,
            window: connection?.window ?? .max,
            common: host.has(.commonLine) ? network.commonLoad : (1, .max),
            timeline.now
        )
        for cause in speed.causes { network.occurs(cause) }
        let isGrowing = speed.causes.last == .slowStart
        if !isGrowing { windowGrowth = nil }
        if isGrowing, windowGrowth == nil { windowGrowth = timeline.now + host.roundTrip }
        return speed
    }

    private func growWindow() {
        guard let due = windowGrowth, timeline.now >= due else { return }
        connection?.window *= 2
        windowGrowth = nil
    }

    /// It takes its part of its line.
    private func receives() {
        growWindow()
        if isReceiving { return }
        isReceiving = true
        if let host { network.ratesChanged(of: host) }
    }

    /// Nothing comes.
    private func rest() {
        if !isReceiving { return }
        isReceiving = false
        if let host { network.ratesChanged(of: host) }
    }

    /// How many of these bytes may be received now.
    private func allowance(_ count: Int) -> Int {
        guard case .body = phase, let share = request.rate, share.isLimited else {
            granted = 0
            return count
        }
        if granted == 0 { granted = share.take(count) }
        let allowed = min(count, granted)
        granted -= allowed
        return allowed
    }

    /// A long silence is seen earlier where a body is discarded.
    private func wait(_ delay: Duration, _ work: @escaping () -> Void) {
        guard case .discarding = phase, timeline.now + delay >= discardEnd else { return after(delay, work) }
        after(discardEnd - timeline.now) { [self] in fail(.stalled, "the unwanted body did not end") }
    }

    private func blockSize(_ answer: SimulatedAnswer) -> Int {
        let isShort = answer.framing == .length && answer.range.count <= Self.shortBlockSize
        return isShort ? Self.shortBlockSize : Self.blockSize
    }

    /// A block is complete, or its time is over.
    private func arrive(_ count: Int, _ answer: SimulatedAnswer) {
        gathering = nil
        if case .discarding = phase {
            position += count
            if position > Self.discardLimit { return end(.stopped) }
            return next(answer)
        }
        let isFull = count == blockSize(answer)
        if !isFull, position + count == answer.end.position {
            let isPaused = answer.pause?.position == position + count && !pauseIsOver && answer.end.kind != .whole
            if !isPaused { return conclude(answer, count) }
        }
        if deliver(count, answer, isLast: false) { return next(answer) }
        end(.stopped)
    }

    private func deliver(_ count: Int, _ answer: SimulatedAnswer, isLast: Bool) -> Bool {
        guard count > 0, let sink else { return true }
        let start = answer.range.lowerBound + position
        position += count
        network.delivers(self, count)
        return answer.content.bytes.withUnsafeBytes {
            sink.receive(bytes: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]), isLast: isLast)
        }
    }

    /// The body ends after these last bytes.
    private func conclude(_ answer: SimulatedAnswer, _ count: Int) {
        let transferEnd: TransferEnd =
            switch (answer.end.kind, answer.framing) {
            case (.whole, .stream), (.closed, .stream): .needsHTTP1
            case (.whole, _): .complete
            case (.closed, .close) where host?.isSecure == false: .complete
            case (.closed, _): .failed(TransportError(.broken, detail: "transfer closed with data remaining"))
            case (.reset, _): .failed(TransportError(.broken, detail: "Connection reset by peer"))
            case (.malformedChunk, _): .failed(TransportError(.malformedChunks, detail: "a chunk has an invalid size"))
            }
        if case .complete = transferEnd {
            if answer.framing != .close, let connection { host?.keep(connection, of: process.number) }
        }
        end(transferEnd, last: (count, answer))
    }

    // MARK: The end

    /// Its server ends the connection in the middle of the answer.
    func breakOff() {
        switch phase {
        case .body, .discarding:
            after(host?.answerDelay ?? .zero) { [self] in fail(.broken, "Connection reset by peer") }
        case .connecting, .waiting, .ended: break
        }
    }

    private func fail(_ kind: TransportError.Kind, _ detail: String) {
        var error = TransportError(kind, detail: detail)
        error.address = isOpen ? connection?.address : nil
        end(.failed(error))
    }

    /// - Parameter last: bytes that have arrived and were not passed on.
    private func end(_ end: TransferEnd, last: (count: Int, answer: SimulatedAnswer)? = nil) {
        let delivers = if case .body = phase { true } else { false }
        phase = .ended
        leaveHost()
        if delivers, let (count, answer) = last {
            let isComplete = if case .complete = end { true } else { false }
            _ = deliver(count, answer, isLast: isComplete)
        }
        network.ended(self, end)
        let sink = sink
        self.sink = nil
        sink?.end(end)
    }

    func cancel() {
        if isCancelled || hasEnded { return }
        isCancelled = true
        after(timeline.time(upTo: .microseconds(300))) { [self] in
            guard case .body(let answer) = phase, let gathering else { return end(.cancelled) }
            end(.cancelled, last: (Int(gathering.count(timeline.now)), answer))
        }
    }

    /// Its process was killed.
    func forget() {
        phase = .ended
        sink = nil
        leaveHost()
    }

    private func leaveHost() {
        (gathering, isReceiving) = (nil, false)
        guard let host, let index = host.transfers.firstIndex(where: { $0 === self }) else { return }
        // It is not open any more, but was until now.
        let former = host.openCount + 1
        host.transfers.remove(at: index)
        network.connectionsChanged(of: host, from: former)
    }
}
