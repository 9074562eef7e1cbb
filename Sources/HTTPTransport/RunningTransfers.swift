import CCurl

/// The transfers of one loop. Only its thread uses them.
final class RunningTransfers {
    private let multi: SpateCurlMulti
    /// Few at once, so that a look through them takes less than a hash.
    private var running: [CurlTransfer] = []
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

    /// Call it before the commands of a turn.
    func beginTurn() {
        clock.tick()
    }

    func execute(_ command: EventLoop.Command) {
        switch command {
        case .start(let id, let request, let forecast, let sink): start(id, request, forecast, sink)
        case .cancel(let id): cancel(id)
        }
    }

    /// Lets libcurl do its pending work, then ends the transfers that are done or timed out. Returns for how many
    /// milliseconds the loop may sleep; libcurl wakes earlier for its own timers.
    func perform() -> CInt {
        // All that arrives from now on is read in this turn or later.
        let before = clock.now
        for transfer in running {
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
        var next = now + .seconds(60)
        for transfer in running {
            if let end = transfer.checkDeadlines(now: now, turnBegan: before) {
                self.end(transfer, end)
            } else {
                next = min(next, transfer.nextDeadline)
            }
        }
        // Rounded up, so that the loop does not spin just before a deadline.
        return CInt((next - now).wholeMilliseconds + 1)
    }

    func close() {
        idleHandles = []
    }

    private func start(
        _ id: UInt64,
        _ request: TransportRequest,
        _ forecast: Forecast,
        _ sink: any TransportSink
    ) {
        guard let handle = idleHandles.popLast() ?? CurlHandle() else {
            load.ended(isLarge: false, isComplete: false)
            let error = TransportError(.other(Int(CInt(SPATE_CURLE_OUT_OF_MEMORY))), detail: "out of memory")
            sink.end(.failed(error))
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
        running.append(transfer)
        transfer.configure(forecast)
        let code = spate_curl_multi_add(multi, handle.easy)
        if code != CInt(SPATE_CURLM_OK) {
            end(transfer, .failed(TransportError(.other(Int(code)), detail: CurlErrors.multiText(code))))
        }
    }

    private func cancel(_ id: UInt64) {
        if let transfer = running.first(where: { $0.id == id }) { end(transfer, .cancelled) }
    }

    private func end(_ transfer: CurlTransfer, _ end: TransferEnd) {
        if let index = running.firstIndex(where: { $0 === transfer }) { running.remove(at: index) }
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
