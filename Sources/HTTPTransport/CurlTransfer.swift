import CSpateCurl
import SpateHTTPSyntax

/// One transfer of a libcurl handle: what has arrived, and what follows. Only the loop's thread uses it.
struct CurlTransfer: ~Copyable {
    let id: UInt64
    private let request: TransportRequest
    let place: LoopPlace
    private let sink: any TransportSink
    private var head = HeadReader()
    private var buffer: BodyBuffer
    private var framing = BodyFraming()
    private var machine: TransferMachine
    /// `nil` if it may connect anywhere.
    private var addresses: AddressJudgement?
    /// How often its request was sent again.
    private var repeats = 0

    /// As libcurl does over HTTP/1.1.
    private static let mostRepeats = 5

    /// What follows a line or a piece.
    enum Answer {
        case goOn
        /// libcurl passes the piece again later.
        case pause
        /// End the transfer and close its connection.
        case stop
    }

    init(id: UInt64, request: TransportRequest, place: LoopPlace, sink: any TransportSink, loop: LoopCommons) {
        self.id = id
        self.request = request
        self.place = place
        self.sink = sink
        machine = TransferMachine(request.settings, now: loop.clock.now)
        buffer = BodyBuffer(blocks: loop.blocks)
        addresses = request.settings.addresses.map { AddressJudgement($0) }
    }

    /// Whether it may connect to an address, or use a connection to it.
    mutating func allows(_ address: IPAddress?) -> Bool { addresses?.allows(address) ?? true }

    /// Whether to send the request again, given libcurl's result.
    ///
    /// A connection that another transfer had opened has ended before a byte of the response came: a server ends one
    /// after some requests, or when it restarts. That says nothing of this request. libcurl does the same over HTTP/1.1,
    /// and over HTTP/2 only for streams that the server has refused.
    ///
    /// Or that connection leads to an address that is not allowed: another manager has opened it. The host may have others.
    mutating func begins(againAfter code: CInt, on handle: CurlHandle) -> Bool {
        let isRefused = code == CInt(SPATE_CURLE_ABORTED_BY_CALLBACK) && addresses != nil
        guard machine.isInHead, !head.hasBegun, !handle.hasOwnConnection, repeats < Self.mostRepeats,
            isRefused || CurlErrors.isLostConnection(code)
        else { return false }
        repeats += 1
        if isRefused { handle.forceConnection() }
        // Connecting and waiting begin anew.
        machine = TransferMachine(request.settings, now: handle.loop.clock.now)
        addresses = request.settings.addresses.map { AddressJudgement($0) }
        return true
    }

    /// How the transfer ended, given libcurl's result.
    func end(code: CInt, on handle: CurlHandle) -> TransferEnd {
        let framed = framing.end(code: code)
        if let end = machine.end ?? framed { return end }
        if code == CInt(SPATE_CURLE_OK) { return .complete }
        if let error = addresses?.error { return .failed(error) }
        if head.isTooLarge {
            return .failed(TransportError(.headTooLarge, detail: "more than \(HeadReader.byteLimit) bytes of headers"))
        }
        // libcurl has its own limit for one line. Older versions report it as out of memory.
        if code == CInt(SPATE_CURLE_OUT_OF_MEMORY) || code == CInt(SPATE_CURLE_TOO_LARGE) {
            return .failed(TransportError(.headTooLarge, detail: "a header field of more than 100 KB"))
        }
        let detail = handle.errorText
        var error = CurlErrors.error(code: code, detail: detail.isEmpty ? CurlErrors.easyText(code) : detail)
        error.address = handle.address
        if code == CInt(SPATE_CURLE_COULDNT_CONNECT) { error.systemReason = handle.systemReason }
        if let error = ProxyFailure(handle: handle, request: request).error(code: code, error) {
            return .failed(error)
        }
        // On a reused connection this may be the rest of the previous response.
        if error.kind == .malformedResponse, machine.isInHead, !handle.hasOwnConnection { error.kind = .broken }
        return .failed(error)
    }

    /// Passes the remaining bytes and the end to the sink. The last call on a transfer.
    mutating func finish(_ end: TransferEnd) {
        // Bytes that arrived before a reset or a cancellation still belong to the file.
        if !machine.isStopped { _ = buffer.flush(to: sink, isLast: end.isOfMessage) }
        buffer.close()
        ExitGate.outside { sink.end(end) }
    }

    /// Whether the transfer has received much.
    var isLarge: Bool { machine.isLarge }

    // MARK: Time

    enum Check {
        case goOn(until: LoopClock.Time)
        case end(TransferEnd)
    }

    /// Flushes the buffer when it is due. The end comes if the sink wants no more, or if the peer was silent too long.
    mutating func check(now: LoopClock.Time, turnBegan: LoopClock.Time, on handle: CurlHandle) -> Check {
        if nextDeadline <= now, let end = checkDeadlines(now: now, turnBegan: turnBegan, on: handle) {
            return .end(end)
        }
        return .goOn(until: nextDeadline)
    }

    private mutating func checkDeadlines(
        now: LoopClock.Time,
        turnBegan: LoopClock.Time,
        on handle: CurlHandle
    ) -> TransferEnd? {
        if let due = buffer.dueTime, now >= due, !buffer.flush(to: sink) {
            _ = machine.handle(.refused, now: now)
            return .stopped
        }
        let connecting: Duration? = head.hasBegun ? .zero : handle.connectTime
        guard var error = machine.failure(now: now, turnBegan: turnBegan, connecting: connecting) else { return nil }
        error.address = handle.address
        return .failed(error)
    }

    private var nextDeadline: LoopClock.Time {
        let next = machine.nextDeadline
        return min(buffer.dueTime ?? next, next)
    }

    /// Whether a paused transfer now continues.
    mutating func endsPause(now: LoopClock.Time) -> Bool { machine.handle(.turn, now: now) == .unpause }

    // MARK: What arrives

    mutating func receive(line: UnsafeRawBufferPointer, on handle: CurlHandle) -> Answer {
        switch head.read(line) {
        case .nextLine: .goOn
        case .head(let final): receive(final, on: handle)
        case .tooLarge: .stop
        }
    }

    private mutating func receive(_ final: ResponseHead, on handle: CurlHandle) -> Answer {
        // After a 101, to a protocol that nobody requested, no head is final.
        guard machine.isInHead else { return .goOn }
        if request.mayShareConnection, handle.hasOwnConnection {
            handle.loop.protocols.note(request.url.origin, isMultiplexed: handle.isMultiplexed)
        }
        let disposition = ExitGate.outside { sink.receive(head: final) }
        if case .deliver = disposition { prepareForBody(of: final, on: handle) }
        return machine.handle(.head(disposition), now: handle.loop.clock.now) == .end ? .stop : .goOn
    }

    private mutating func prepareForBody(of head: ResponseHead, on handle: CurlHandle) {
        framing = BodyFraming(head, isSecure: request.isSecure)
        if framing.end == .connection { handle.observeCloseNotify() }
        // A wrong length that a transfer coding overrides could be tiny, and lead to tiny blocks.
        if let length = framing.length { buffer.expect(length) }
        let isLarge = framing.length ?? 0 >= RecentSizes.large
        // The next ones need not wait until its body has come.
        if isLarge { handle.loop.load.expectLarge() }
        guard request.rangeStart != nil || isLarge, let address = handle.address else { return }
        ExitGate.outside { sink.connected(to: address) }
    }

    mutating func receive(piece: UnsafeRawBufferPointer, on handle: CurlHandle) -> Answer {
        switch machine.handle(.piece(piece.count), now: handle.loop.clock.now) {
        case .proceed, .unpause: .goOn
        case .deliver(let fresh): deliver(fresh, of: piece, on: handle)
        case .pause: .pause
        case .end: .stop
        }
    }

    private mutating func deliver(
        _ fresh: Range<Int>,
        of piece: UnsafeRawBufferPointer,
        on handle: CurlHandle
    ) -> Answer {
        let loop = handle.loop
        var allowed = fresh
        if let share = request.rate, share.isLimited {
            if handle.isMultiplexed { return reject(.multiplexed, now: loop.clock.now) }
            allowed = fresh.prefix(share.take(fresh.count))
        }
        request.noteArrival(allowed.count)
        var rest = UnsafeRawBufferPointer(rebasing: piece[allowed])
        while let run = framing.next(from: &rest) {
            if machine.count(run.count, now: loop.clock.now) { loop.load.becameLarge() }
            guard buffer.append(run, to: sink, now: loop.clock.now) else {
                return reject(.refused, now: loop.clock.now)
            }
        }
        guard framing.canContinue(after: rest) else { return .stop }
        if allowed == fresh { return .goOn }
        _ = machine.handle(.limited(allowed.upperBound), now: loop.clock.reading)
        return .pause
    }

    private mutating func reject(_ event: TransferMachine.Event, now: LoopClock.Time) -> Answer {
        _ = machine.handle(event, now: now)
        return .stop
    }

    /// Whether the peer has announced the end of the TLS connection.
    mutating func noteCloseNotify(isReceived: Bool) {
        framing.receivedCloseNotify = isReceived
    }
}
