import CCurl
import HTTPResumption

/// One libcurl transfer and the state of its callbacks. Only the loop's thread uses it.
final class CurlTransfer {
    let id: UInt64
    let handle: CurlHandle

    let request: TransportRequest
    private let sink: any TransportSink
    private let clock: LoopClock
    private var head = HeadReader()
    private var buffer: BodyBuffer
    private var framing = BodyFraming()

    private var phase = Phase.head
    private var sinkStopped = false
    private var discarded = 0
    private var received = 0
    /// Whether it was noted that it has received much.
    private(set) var isLarge = false
    /// When the peer last showed activity: the start, the head, or a byte of the body.
    private var lastActivity: ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    /// How many bytes of the next piece have been received: libcurl delivers a piece again after a pause.
    private var taken = 0
    /// Until when the transfer waits for its share of a rate.
    private var pausedUntil: ContinuousClock.Instant?
    /// A rate was set, but the transfer runs over HTTP/2.
    private var needsHTTP1 = false

    private enum Phase {
        case head
        case body
        /// The body is read and discarded.
        case discarding
    }

    /// How much of an unwanted body to read so that the connection can be reused.
    private static let discardLimit = 64 * 1024
    /// How long an unwanted body is read. After that a new connection costs less than waiting for its end.
    private static let discardTime: Duration = .seconds(5)
    private var discardDeadline: ContinuousClock.Instant?

    init(
        id: UInt64,
        request: TransportRequest,
        sink: any TransportSink,
        handle: CurlHandle,
        blocks: BlockPool,
        clock: LoopClock
    ) {
        self.id = id
        self.handle = handle
        self.request = request
        self.sink = sink
        self.clock = clock
        self.buffer = BodyBuffer(blocks: blocks)
        self.start = clock.tick()
        self.lastActivity = start
    }

    private var easy: SpateCurlEasy { handle.easy }

    static func id(of easy: SpateCurlEasy) -> UInt64? {
        var context: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIVATE), &context)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue().id }
    }

    /// Sets the request and the callbacks on the handle. The caller must retain this object until libcurl is done.
    func configure() {
        handle.configure(
            request,
            context: context,
            receiveLine: { bytes, _, count, context in
                CurlTransfer.from(context).receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
            },
            receivePiece: { bytes, _, count, context in
                CurlTransfer.from(context).receive(piece: UnsafeRawBufferPointer(start: bytes, count: count))
            }
        )
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// How the transfer ended, given libcurl's result.
    func end(code: CInt) -> TransferEnd {
        if sinkStopped, code != CInt(SPATE_CURLE_OK) { return .stopped }
        if needsHTTP1 { return .needsHTTP1 }
        if let end = framing.end(code: code) { return end }
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
        if let error = ProxyFailure(easy: easy, url: request.url).error(code: code, error) { return .failed(error) }
        // On a reused connection this may be the rest of the previous response.
        if error.kind == .malformedResponse, phase == .head, !hasOwnConnection { error.kind = .broken }
        return .failed(error)
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
        let isComplete = if case .complete = end { true } else { false }
        if phase == .body, !sinkStopped, !buffer.flush(to: sink, isLast: isComplete) { sinkStopped = true }
        buffer.close()
        ExitGate.outside { sink.end(end) }
    }

    /// Whether it has received much since the last call.
    func noteIfLarge() -> Bool {
        guard !isLarge, received >= RecentSizes.large else { return false }
        isLarge = true
        return true
    }

    // MARK: Time

    /// Flushes the buffer when it is due. Returns the end if the sink wants no more, or the peer was silent for too long.
    ///
    /// Silence is certain only up to the start of the loop's turn. Bytes that arrived while a slow disk or other
    /// transfers blocked the loop are read in the next turn.
    func checkDeadlines(now: ContinuousClock.Instant, turnBegan: ContinuousClock.Instant) -> TransferEnd? {
        if let due = buffer.dueTime, now >= due, !buffer.flush(to: sink) {
            sinkStopped = true
            return .stopped
        }
        return silence(now: now, turnBegan: turnBegan).map { .failed($0) }
    }

    private func silence(now: ContinuousClock.Instant, turnBegan: ContinuousClock.Instant) -> TransportError? {
        if let discardDeadline, now >= discardDeadline {
            return TransportError(.stalled, detail: "the unwanted body did not end within \(Self.discardTime)")
        }
        guard turnBegan >= silenceDeadline else { return nil }
        switch phase {
        case .head:
            guard head.hasBegun || connectionIsOlder(than: request.stallTimeout, now: turnBegan) else { return nil }
            return TransportError(.headTimeout, detail: "no complete response head within \(request.stallTimeout)")
        case .body, .discarding:
            return TransportError(.stalled, detail: "no byte within \(request.stallTimeout)")
        }
    }

    var nextDeadline: ContinuousClock.Instant {
        let next = pausedUntil ?? silenceDeadline
        return min(buffer.dueTime ?? next, discardDeadline ?? next, next)
    }

    private var silenceDeadline: ContinuousClock.Instant { lastActivity + request.stallTimeout }

    /// Whether the connection was made at least `age` ago. If not, moves the deadline: connecting has its own limit.
    private func connectionIsOlder(than age: Duration, now: ContinuousClock.Instant) -> Bool {
        var microseconds: Int64 = 0
        _ = spate_curl_get_offset(easy, CInt(SPATE_CURLINFO_PRETRANSFER_TIME_T), &microseconds)
        if microseconds > 0 {
            lastActivity = max(lastActivity, start + .microseconds(microseconds))
            return now >= silenceDeadline
        }
        // Not connected yet: check again after a quarter of the limit.
        lastActivity = now - age * 3 / 4
        return false
    }

    // MARK: Callbacks

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context else { preconditionFailure("libcurl called without its context") }
        return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func receive(line: UnsafeRawBufferPointer) -> Int {
        // Lines after the final head are trailers, which are ignored.
        guard phase == .head else { return head.count(line) ? line.count : 0 }
        guard head.append(line) else { return 0 }
        guard let final = head.popFinalHead() else { return line.count }
        lastActivity = clock.now
        switch ExitGate.outside({ sink.receive(head: final) }) {
        case .deliver:
            phase = .body
            framing = BodyFraming(final, isSecure: request.url.scheme == .https)
            if framing.needsCloseNotify { observeCloseNotify() }
            // A transfer coding overrides the length. A wrong, tiny one would lead to tiny blocks.
            if !final.overridesContentLength, case .exact(let length) = final.contentLength { buffer.expect(length) }
        case .discard:
            phase = .discarding
            discardDeadline = clock.now + Self.discardTime
        case .stop:
            stop()
            return 0
        }
        return line.count
    }

    private func receive(piece: UnsafeRawBufferPointer) -> Int {
        let known = min(taken, piece.count)
        taken -= known
        let fresh = piece.count - known
        let allowed = allowance(fresh)
        if needsHTTP1 {
            handle.forbidReuse()
            return 0
        }
        guard receive(fresh: UnsafeRawBufferPointer(rebasing: piece[known..<known + allowed])) else { return 0 }
        if allowed == fresh { return piece.count }
        taken = known + allowed
        pausedUntil = .now + RateShare.pause
        return SPATE_CURL_WRITEFUNC_PAUSE
    }

    /// How many of these bytes may be received now.
    private func allowance(_ count: Int) -> Int {
        guard phase == .body, let share = request.rate, share.isLimited else { return count }
        needsHTTP1 = isMultiplexed
        return needsHTTP1 ? 0 : share.take(count)
    }

    /// Whether it runs over HTTP/2 or later, where a pause may hold up other transfers, and even itself.
    private var isMultiplexed: Bool {
        var version = 0
        _ = spate_curl_get_long(easy, CInt(SPATE_CURLINFO_HTTP_VERSION), &version)
        return version > SPATE_CURL_HTTP_VERSION_1_1
    }

    /// Goes on after a pause, if it is due. Returns libcurl's error if the transfer is to end.
    func resume(now: ContinuousClock.Instant) -> CInt? {
        guard let time = pausedUntil, now >= time else { return nil }
        pausedUntil = nil
        // Who waits for its share of a rate does not read: nothing is known about the peer.
        lastActivity = now
        // It may deliver the piece at once, and then it pauses again.
        let code = spate_curl_easy_go_on(easy)
        return code == CInt(SPATE_CURLE_OK) ? nil : code
    }

    private func receive(fresh piece: UnsafeRawBufferPointer) -> Bool {
        if piece.isEmpty { return true }
        switch phase {
        case .body:
            var rest = piece
            while let run = framing.next(from: &rest) {
                // Not for the bytes between and after chunks, which could trickle for months.
                lastActivity = clock.now
                received += run.count
                guard buffer.append(run, to: sink, now: clock.now) else { return stop() }
            }
            return framing.canContinue(after: rest)
        case .head, .discarding:
            lastActivity = clock.now
            discarded += piece.count
            return discarded <= Self.discardLimit || stop()
        }
    }

    /// libcurl ends the transfer when the callback returns. Told later, it would keep an HTTP/2 connection, over which the
    /// server goes on sending; see `RunningTransfers`.
    @discardableResult
    private func stop() -> Bool {
        sinkStopped = true
        handle.forbidReuse()
        return false
    }

    /// Checks for a TLS close_notify in libcurl's progress callback, which also runs before it closes the connection.
    private func observeCloseNotify() {
        handle.observe(context: context) { context, _, _, _, _ in
            let transfer = CurlTransfer.from(context)
            switch spate_curl_tls_received_close_notify(transfer.easy) {
            case 0: transfer.framing.receivedCloseNotify = false
            case 1: transfer.framing.receivedCloseNotify = true
            default: break
            }
            return 0
        }
    }
}
