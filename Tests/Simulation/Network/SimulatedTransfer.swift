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
    private var gathering: (began: Duration, count: Int, rate: Int)?
    private var discardEnd = Duration.zero

    private enum Phase {
        case connecting
        case waiting
        case body(SimulatedAnswer)
        case discarding(SimulatedAnswer)
        case ended
    }

    // As in CurlTransfer and BodyBuffer.
    private static let discardLimit = 64 * 1_024
    private static let discardTime = Duration.seconds(5)
    private static let blockSize = 256 * 1_024
    private static let shortBlockSize = 16 * 1_024
    private static let longestDelay = Duration.milliseconds(250)

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
        host.transfers.append(self)
        let answer = network.answer(self, at: host)
        if host.has(.silentAddress, at: connection?.address, timeline.now) {
            network.occurs(.silentAddress)
            return after(request.settings.stallTimeout) { [self] in fail(.headTimeout, "no complete response head") }
        }
        if let kind = answer.noHead {
            return after(host.answerDelay) { [self] in fail(kind, "no response") }
        }
        guard let delay = answer.delay, delay < request.settings.stallTimeout else {
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
            guard let length = pause.length, length < request.settings.stallTimeout else {
                return wait(request.settings.stallTimeout) { [self] in fail(.stalled, "no byte within the limit") }
            }
            return wait(length) { [self] in next(answer) }
        }
        if position == goal { return conclude(answer, 0) }
        var milestone = goal
        if let pause = answer.pause, !pauseIsOver, pause.position > position { milestone = min(goal, pause.position) }
        let rate = host?.rate(answer.rate, at: connection?.address, timeline.now) ?? 1
        if host?.has(.crawlingAddress, at: connection?.address, timeline.now) ?? false {
            network.occurs(.crawlingAddress)
        }
        let timely = max(1, Int(Double(rate) * (Self.longestDelay / .seconds(1))))
        let wanted = min(milestone - position, blockSize(answer), timely)
        let count = allowance(wanted)
        if count == 0 { return wait(RateShare.pause) { [self] in next(answer) } }
        gathering = (timeline.now, count, rate)
        wait(.nanoseconds(Int64(count) * 1_000_000_000 / Int64(rate))) { [self] in arrive(count, answer) }
    }

    /// How many of these bytes may be received now.
    private func allowance(_ count: Int) -> Int {
        guard case .body = phase, let share = request.rate else { return count }
        return share.take(count)
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
            guard case .body(let answer) = phase, let (began, count, rate) = gathering else { return end(.cancelled) }
            let arrived = Int(Double(rate) * ((timeline.now - began) / .seconds(1)))
            end(.cancelled, last: (min(count, arrived), answer))
        }
    }

    /// Its process was killed.
    func forget() {
        phase = .ended
        sink = nil
        leaveHost()
    }

    private func leaveHost() {
        host?.transfers.removeAll { $0 === self }
    }
}
