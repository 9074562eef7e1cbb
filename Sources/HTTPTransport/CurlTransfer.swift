import CCurl
import Glibc
import HTTPSyntax

/// One libcurl transfer and the state of its callbacks. Only the loop's thread uses it.
final class CurlTransfer {
    let id: UInt64
    let handle: CurlHandle
    private let request: TransportRequest
    private let sink: any TransportSink
    private let clock: LoopClock
    private let load: LoopLoad
    private let protocols: KnownProtocols
    private var head = HeadReader()
    private var buffer: BodyBuffer
    private var framing = BodyFraming()

    private var machine: TransferMachine

    init(
        id: UInt64,
        request: TransportRequest,
        sink: any TransportSink,
        handle: CurlHandle,
        blocks: BlockPool,
        clock: LoopClock,
        load: LoopLoad,
        protocols: KnownProtocols
    ) {
        self.id = id
        self.request = request
        self.sink = sink
        self.handle = handle
        self.machine = TransferMachine(request.settings, now: clock.now)
        self.clock = clock
        self.load = load
        self.protocols = protocols
        self.buffer = BodyBuffer(blocks: blocks)
    }

    private var easy: SpateCurlEasy { handle.easy }

    /// The transfer that a handle runs.
    static func of(_ easy: SpateCurlEasy) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIVATE), &context)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the request and the callbacks on the handle. The caller must retain this object until libcurl is done.
    func configure(_ forecast: Forecast) {
        handle.configure(
            request,
            forecast,
            context: context,
            receiveLine: { bytes, _, count, context in
                CurlTransfer.with(context) { $0.receive(line: UnsafeRawBufferPointer(start: bytes, count: count)) }
            },
            receivePiece: { bytes, _, count, context in
                CurlTransfer.with(context) { $0.receive(piece: UnsafeRawBufferPointer(start: bytes, count: count)) }
            }
        )
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// How the transfer ended, given libcurl's result.
    func end(code: CInt) -> TransferEnd {
        let framed = framing.end(code: code, peerHasLeft: spate_curl_peer_has_left(easy) == 1)
        if let end = machine.end ?? framed { return end }
        if code == CInt(SPATE_CURLE_OK) { return .complete }
        if head.isTooLarge {
            return .failed(TransportError(.headTooLarge, detail: "more than \(HeadReader.byteLimit) bytes of headers"))
        }
        // libcurl has its own limit for one line. Older versions report it as out of memory.
        if code == CInt(SPATE_CURLE_OUT_OF_MEMORY) || code == CInt(SPATE_CURLE_TOO_LARGE) {
            return .failed(TransportError(.headTooLarge, detail: "a header field of more than 100 KB"))
        }
        let detail = handle.errorText
        var error = CurlErrors.error(code: code, detail: detail.isEmpty ? CurlErrors.easyText(code) : detail)
        error.address = address
        if code == CInt(SPATE_CURLE_COULDNT_CONNECT) { error.systemReason = systemReason }
        if let error = ProxyFailure(easy: easy, request: request).error(code: code, error) { return .failed(error) }
        // On a reused connection this may be the rest of the previous response.
        if error.kind == .malformedResponse, machine.isInHead, !hasOwnConnection { error.kind = .broken }
        return .failed(error)
    }

    /// Why the last call to connect failed.
    private var systemReason: String? {
        var number = 0
        _ = spate_curl_get_long(easy, CInt(SPATE_CURLINFO_OS_ERRNO), &number)
        return number == 0 ? nil : String(cString: strerror(CInt(number)))
    }

    /// The address that this transfer is or was connected to; `nil` if it never was.
    private var address: String? {
        var text: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIMARY_IP), &text)
        let address = text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
        return address?.isEmpty ?? true ? nil : address
    }

    /// Whether this transfer opened a new connection.
    private var hasOwnConnection: Bool {
        var count = 0
        _ = spate_curl_get_long(easy, CInt(SPATE_CURLINFO_NUM_CONNECTS), &count)
        return count > 0
    }

    /// Passes the remaining bytes and the end to the sink. The last call on a transfer.
    func finish(_ end: TransferEnd) {
        // Bytes that arrived before a reset or a cancellation still belong to the file.
        if !machine.isStopped { _ = buffer.flush(to: sink, isLast: end.isComplete) }
        buffer.close()
        ExitGate.outside { sink.end(end) }
    }

    /// Whether the transfer has received much.
    var isLarge: Bool { machine.isLarge }

    // MARK: Time

    /// Flushes the buffer when it is due. Returns the end if the sink wants no more, or the peer was silent too long.
    func checkDeadlines(now: LoopClock.Time, turnBegan: LoopClock.Time) -> TransferEnd? {
        if let due = buffer.dueTime, now >= due, !buffer.flush(to: sink) {
            _ = machine.handle(.refused, now: now)
            return .stopped
        }
        guard var error = machine.failure(now: now, turnBegan: turnBegan, connecting: connectTime) else { return nil }
        error.address = address
        return .failed(error)
    }

    var nextDeadline: LoopClock.Time {
        let next = machine.nextDeadline
        return min(buffer.dueTime ?? next, next)
    }

    /// How long connecting took; `nil` if there is no connection yet.
    private var connectTime: Duration? {
        if head.hasBegun { return .zero }
        var microseconds: Int64 = 0
        _ = spate_curl_get_offset(easy, CInt(SPATE_CURLINFO_PRETRANSFER_TIME_T), &microseconds)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Continues a paused transfer when it is due. Returns libcurl's error if the transfer must end.
    func resume(now: LoopClock.Time) -> CInt? {
        guard machine.handle(.turn, now: now) == .unpause else { return nil }
        // libcurl may deliver the piece at once. The transfer then pauses again.
        let code = spate_curl_easy_go_on(easy)
        return code == CInt(SPATE_CURLE_OK) ? nil : code
    }

    // MARK: Callbacks

    /// Calls a method of the transfer that a callback is for.
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlTransfer) -> Int) -> Int {
        guard let context else { preconditionFailure("libcurl called without its context") }
        return body(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue())
    }

    private func receive(line: UnsafeRawBufferPointer) -> Int {
        switch head.read(line) {
        case .nextLine: return line.count
        case .head(let final): return receive(final) ? line.count : stop()
        case .tooLarge: return 0
        }
    }

    /// Returns whether the transfer continues.
    private func receive(_ final: ResponseHead) -> Bool {
        // After a 101, to a protocol that nobody requested, no head is final.
        guard machine.isInHead else { return true }
        if request.mayShareConnection, hasOwnConnection {
            protocols.note(request.url.origin, isMultiplexed: isMultiplexed)
        }
        let disposition = ExitGate.outside { sink.receive(head: final) }
        if case .deliver = disposition { prepareForBody(of: final) }
        return machine.handle(.head(disposition), now: clock.now) != .end
    }

    private func prepareForBody(of head: ResponseHead) {
        framing = BodyFraming(head, isSecure: request.isSecure)
        if framing.end != nil { observeCloseNotify() }
        // A wrong length that a transfer coding overrides could be tiny, and lead to tiny blocks.
        if let length = framing.length { buffer.expect(length) }
        guard request.rangeStart != nil || framing.length ?? 0 >= RecentSizes.large, let address else { return }
        ExitGate.outside { sink.connected(to: address) }
    }

    private func receive(piece: UnsafeRawBufferPointer) -> Int {
        switch machine.handle(.piece(piece.count), now: clock.now) {
        case .proceed, .unpause: return piece.count
        case .deliver(let fresh): return deliver(fresh, of: piece)
        case .pause: return SPATE_CURL_WRITEFUNC_PAUSE
        case .end: return stop()
        }
    }

    private func deliver(_ fresh: Range<Int>, of piece: UnsafeRawBufferPointer) -> Int {
        var allowed = fresh
        if let share = request.rate, share.isLimited {
            if isMultiplexed { return reject(.multiplexed) }
            allowed = fresh.prefix(share.take(fresh.count))
        }
        var rest = UnsafeRawBufferPointer(rebasing: piece[allowed])
        while let run = framing.next(from: &rest) {
            if machine.count(run.count, now: clock.now) { load.becameLarge() }
            guard buffer.append(run, to: sink, now: clock.now) else { return reject(.refused) }
        }
        guard framing.canContinue(after: rest) else { return 0 }
        if allowed == fresh { return piece.count }
        _ = machine.handle(.limited(allowed.upperBound), now: clock.reading)
        return SPATE_CURL_WRITEFUNC_PAUSE
    }

    /// Whether the transfer runs over HTTP/2 or later, where a pause may stall other transfers, and even itself.
    private var isMultiplexed: Bool {
        var version = 0
        _ = spate_curl_get_long(easy, CInt(SPATE_CURLINFO_HTTP_VERSION), &version)
        return version > SPATE_CURL_HTTP_VERSION_1_1
    }

    private func reject(_ event: TransferMachine.Event) -> Int {
        _ = machine.handle(event, now: clock.now)
        return stop()
    }

    /// libcurl ends the transfer when the callback returns 0. If told later, it would keep the HTTP/2 connection, and
    /// the server would continue to send; see `RunningTransfers`.
    private func stop() -> Int {
        handle.forbidReuse()
        return 0
    }

    /// Checks for a TLS close_notify in libcurl's progress callback, which also runs before it closes the connection.
    private func observeCloseNotify() {
        handle.observe(context: context) { context, _, _, _, _ in
            CInt(CurlTransfer.with(context) { $0.checkForCloseNotify() })
        }
    }

    private func checkForCloseNotify() -> Int {
        switch spate_curl_tls_received_close_notify(easy) {
        case 0: framing.receivedCloseNotify = false
        case 1: framing.receivedCloseNotify = true
        default: break
        }
        return 0
    }
}
