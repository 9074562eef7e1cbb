import CCurl

/// The transfers of one loop. Only its thread uses them.
final class RunningTransfers {
    private let multi: SpateCurlMulti
    private var running: [UInt64: CurlTransfer] = [:]
    /// Handles for reuse, which is cheaper than creating one.
    private var idleHandles: [CurlHandle] = []
    private let blocks = BlockPool()
    private let clock = LoopClock()
    private let load: LoopLoad
    private let protocols: KnownProtocols

    private static let idleHandleLimit = 16

    init(multi: SpateCurlMulti, load: LoopLoad, protocols: KnownProtocols) {
        self.multi = multi
        self.load = load
        self.protocols = protocols
    }

    var isEmpty: Bool { running.isEmpty }

    func execute(_ command: consuming EventLoop.Command) {
        switch consume command {
        case .start(let id, let request, let sink): start(id, request, sink)
        case .cancel(let id): cancel(id)
        }
    }

    /// Lets libcurl do its pending work, then ends the transfers that are done or timed out.
    func perform() {
        let before = clock.tick()
        for transfer in running.values {
            if let code = transfer.resume(now: before) { end(transfer, transfer.end(code: code)) }
        }
        var count: CInt = 0
        _ = spate_curl_multi_perform(multi, &count)
        var code: CInt = 0
        while let easy = spate_curl_multi_next_done(multi, &code) {
            guard let transfer = CurlTransfer.of(easy) else { continue }
            end(transfer, transfer.end(code: code))
        }
        let now = clock.tick()
        for transfer in running.values {
            if let end = transfer.checkDeadlines(now: now, turnBegan: before) { self.end(transfer, end) }
        }
    }

    /// How long the loop may sleep. libcurl wakes earlier for its own timers.
    func millisecondsToNextDeadline() -> CInt {
        var next: LoopClock.Time?
        for transfer in running.values {
            let deadline = transfer.nextDeadline
            next = next.map { min($0, deadline) } ?? deadline
        }
        guard let next else { return 60_000 }
        // Rounded up, so that the loop does not spin just before a deadline.
        return CInt(min(next - clock.now, .seconds(60)).wholeMilliseconds + 1)
    }

    func close() {
        idleHandles = []
    }

    private func start(_ id: UInt64, _ request: consuming TransportRequest, _ sink: any TransportSink) {
        guard let handle = idleHandles.popLast() ?? CurlHandle() else {
            load.ended(isLarge: false, isComplete: false)
            sink.end(.failed(TransportError(.other(Int(CInt(SPATE_CURLE_OUT_OF_MEMORY))), detail: "out of memory")))
            return
        }
        let transfer = CurlTransfer(
            id: id,
            request: request,
            sink: sink,
            handle: handle,
            blocks: blocks,
            clock: clock,
            load: load,
            protocols: protocols
        )
        running[id] = transfer
        transfer.configure()
        let code = spate_curl_multi_add(multi, handle.easy)
        if code != CInt(SPATE_CURLM_OK) {
            end(transfer, .failed(TransportError(.other(Int(code)), detail: CurlErrors.multiText(code))))
        }
    }

    private func cancel(_ id: UInt64) {
        guard let transfer = running[id] else { return }
        end(transfer, .cancelled)
    }

    private func end(_ transfer: CurlTransfer, _ end: TransferEnd) {
        running[transfer.id] = nil
        if !end.isComplete {
            // Over HTTP/2, libcurl (7.88 and later) delays the reset of a stream until it has something else to send.
            // The server continues to send. Closing the connection stops it; if other streams use it, it stays open.
            transfer.handle.forbidReuse()
        }
        _ = spate_curl_multi_remove(multi, transfer.handle.easy)
        if idleHandles.count < Self.idleHandleLimit {
            transfer.handle.recycle()
            idleHandles.append(transfer.handle)
        }
        // Before the sink receives the end: if the sink starts another transfer, this loop and its connection are free.
        load.ended(isLarge: transfer.isLarge, isComplete: end.isComplete)
        transfer.finish(end)
    }
}

/// The loop's time, read once per turn rather than once per piece.
final class LoopClock {
    /// The time since the clock was made. An `Instant` is copied and compared through its type's metadata.
    typealias Time = Duration

    private let start: ContinuousClock.Instant
    private(set) var now = Time.zero

    init() {
        start = .now
    }

    /// The time of this moment.
    var reading: Time { start.duration(to: .now) }

    @discardableResult
    func tick() -> Time {
        now = reading
        return now
    }
}
