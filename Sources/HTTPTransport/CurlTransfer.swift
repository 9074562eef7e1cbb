import CCurl
import HTTPResumption

/// One transfer of libcurl's, and what its callbacks know: touched by the loop's thread alone.
final class CurlTransfer {
    let id: UInt64
    let easy: SpateCurlEasy

    let request: TransportRequest
    private let sink: any TransportSink
    private let clock: LoopClock
    private var head = HeadReader()
    private var body: BodyGatherer
    private var framing = BodyFraming()
    /// What libcurl keeps a pointer to.
    private var fields: OpaquePointer?
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CInt(SPATE_CURL_ERROR_SIZE)))

    private var phase = Phase.head
    private var sinkIsDone = false
    private var discarded = 0
    /// When the last thing happened that shows the peer alive: the start, the head, a byte of the body.
    private var lastSign: ContinuousClock.Instant
    private let start: ContinuousClock.Instant

    private enum Phase {
        case head
        case body
        /// The body is read and dropped.
        case discarding
    }

    /// A body that nobody wants is read up to here, for the connection's sake.
    private static let discardLimit = 64 * 1024

    init(
        id: UInt64,
        request: TransportRequest,
        sink: any TransportSink,
        easy: SpateCurlEasy,
        blocks: BlockPool,
        clock: LoopClock
    ) {
        self.id = id
        self.easy = easy
        self.request = request
        self.sink = sink
        self.clock = clock
        self.body = BodyGatherer(blocks: blocks)
        self.start = clock.tick()
        self.lastSign = start
        errorText.initialize(repeating: 0)
    }

    deinit {
        errorText.deallocate()
    }

    static func id(of easy: SpateCurlEasy) -> UInt64? {
        var context: UnsafeMutableRawPointer?
        _ = spate_curl_get_pointer(easy, CInt(SPATE_CURLINFO_PRIVATE), &context)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue().id }
    }

    /// Tells libcurl what to fetch and whom to call. The caller keeps this object until the handle is its own again.
    func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(SPATE_CURLOPT_PRIVATE, context)
        set(SPATE_CURLOPT_HEADERDATA, context)
        set(SPATE_CURLOPT_WRITEDATA, context)
        set(SPATE_CURLOPT_ERRORBUFFER, errorText.baseAddress.map { UnsafeMutableRawPointer($0) })
        _ = spate_curl_set_receiver(easy, CInt(SPATE_CURLOPT_HEADERFUNCTION)) { bytes, _, count, context in
            CurlTransfer.from(context).receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
        }
        _ = spate_curl_set_receiver(easy, CInt(SPATE_CURLOPT_WRITEFUNCTION)) { bytes, _, count, context in
            CurlTransfer.from(context).receive(piece: UnsafeRawBufferPointer(start: bytes, count: count))
        }
        fields = CurlRequestOptions.apply(request, to: easy)
    }

    /// Lets go of what libcurl had pointers to, once it has let go of this transfer.
    func release() {
        if let fields { spate_curl_slist_free(fields) }
        fields = nil
    }

    /// What libcurl's result means.
    func end(code: CInt) -> TransferEnd {
        if sinkIsDone, code != CInt(SPATE_CURLE_OK) { return .stopped }
        if let end = framing.end(code: code) { return end }
        if code == CInt(SPATE_CURLE_OK) { return .complete }
        if head.isTooLarge {
            return .failed(TransportError(.headTooLarge, detail: "more than \(HeadReader.byteLimit) bytes of fields"))
        }
        // libcurl's own limit for one line, which it tells as a lack of memory; for that no line is long enough.
        if code == CInt(SPATE_CURLE_OUT_OF_MEMORY) || code == CInt(SPATE_CURLE_TOO_LARGE) {
            return .failed(TransportError(.headTooLarge, detail: "one field of more than 100 KB"))
        }
        let detail = errorText.baseAddress.map { String(cString: $0) } ?? ""
        var error = CurlText.error(code: code, detail: detail.isEmpty ? CurlText.easy(code) : detail)
        // On a connection that was used before it may be what the response before left over, and no answer at all.
        if error.kind == .malformedResponse, phase == .head, !hasOwnConnection { error.kind = .broken }
        return .failed(error)
    }

    /// Whether a connection was made for this transfer.
    private var hasOwnConnection: Bool {
        var count = 0
        _ = spate_curl_get_long(easy, CInt(SPATE_CURLINFO_NUM_CONNECTS), &count)
        return count > 0
    }

    /// Hands over what is left, and tells the end: the last thing that a transfer does.
    func tell(_ end: TransferEnd) {
        // Bytes that arrived before a cut, a reset or a pause are bytes of the file all the same.
        if phase == .body, !sinkIsDone, !body.flush(to: sink) { sinkIsDone = true }
        body.close()
        sink.end(end)
    }

    // MARK: Time

    /// Brings gathered bytes to the sink when they have waited long enough, and tells when the peer was silent for
    /// too long.
    ///
    /// Silence is proven up to the beginning of the loop's turn and no further: what came while the loop was held up,
    /// by a slow disk or by other transfers, is read in the next one.
    func check(now: ContinuousClock.Instant, turnBegan: ContinuousClock.Instant) -> TransportError? {
        if let due = body.dueTime, now >= due, !body.flush(to: sink) {
            sinkIsDone = true
            return TransportError(.broken, detail: "the sink stopped")
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
        body.dueTime.map { min($0, silenceDeadline) } ?? silenceDeadline
    }

    private var silenceDeadline: ContinuousClock.Instant { lastSign + request.stallTimeout }

    /// Whether the connection, for which another time limit holds, was made so long ago; moves the deadline where not.
    private func connectionIsOlder(than age: Duration, now: ContinuousClock.Instant) -> Bool {
        var microseconds: Int64 = 0
        _ = spate_curl_get_offset(easy, CInt(SPATE_CURLINFO_PRETRANSFER_TIME_T), &microseconds)
        if microseconds > 0 {
            lastSign = max(lastSign, start + .microseconds(microseconds))
            return now >= silenceDeadline
        }
        // Not yet connected: look again when a quarter of the limit has passed.
        lastSign = now - age * 3 / 4
        return false
    }

    // MARK: Callbacks

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context else { preconditionFailure("libcurl called without its context") }
        return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func receive(line: UnsafeRawBufferPointer) -> Int {
        // After the final head these are trailers, which nobody asked for.
        guard phase == .head else { return head.count(line) ? line.count : 0 }
        guard head.append(line) else { return 0 }
        guard let final = head.takeFinal() else { return line.count }
        lastSign = clock.now
        switch sink.receive(head: final) {
        case .deliver:
            phase = .body
            framing = BodyFraming(final, isSecure: request.url.scheme == .https)
            if framing.needsPeersEnd { observePeer() }
            // Beside chunks a length counts for nothing, and a tiny one would make for as many tiny pieces.
            if !final.overridesContentLength, case .exact(let length) = final.contentLength { body.expect(length) }
        case .discard:
            phase = .discarding
        case .stop:
            sinkIsDone = true
            return 0
        }
        return line.count
    }

    private func receive(piece: UnsafeRawBufferPointer) -> Int {
        lastSign = clock.now
        switch phase {
        case .body:
            guard deliver(piece) else { return 0 }
        case .head, .discarding:
            discarded += piece.count
            guard discarded <= Self.discardLimit else {
                sinkIsDone = true
                return 0
            }
        }
        return piece.count
    }

    private func deliver(_ piece: UnsafeRawBufferPointer) -> Bool {
        var rest = piece
        while let run = framing.next(from: &rest) {
            guard body.append(run, to: sink, now: clock.now) else {
                sinkIsDone = true
                return false
            }
        }
        return framing.goesOn(after: rest)
    }

    /// Has libcurl tell, at the latest before it lets go of the connection, when to look how the peer ended it.
    private func observePeer() {
        set(SPATE_CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
        _ = spate_curl_set_observer(easy) { context, _, _, _, _ in
            let transfer = CurlTransfer.from(context)
            switch spate_curl_tls_peer_ended(transfer.easy) {
            case 0: transfer.framing.peerEnded = false
            case 1: transfer.framing.peerEnded = true
            default: break
            }
            return 0
        }
        _ = spate_curl_set_long(easy, CInt(SPATE_CURLOPT_NOPROGRESS), 0)
    }

    private func set(_ option: Int, _ value: UnsafeMutableRawPointer?) {
        _ = spate_curl_set_pointer(easy, CInt(option), value)
    }
}
