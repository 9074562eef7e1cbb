import CSpateCurl

/// What all transfers of one loop use.
final class LoopCommons {
    let blocks = BlockPool()
    let clock = LoopClock()
    let load: LoopLoad
    let protocols: KnownProtocols

    init(load: LoopLoad, protocols: KnownProtocols) {
        (self.load, self.protocols) = (load, protocols)
    }
}

/// The transfers of one loop. Only its thread uses them.
struct RunningTransfers: ~Copyable {
    private let multi: SpateCurlMulti
    private let loop: LoopCommons
    /// The handles of the transfers. Few at once, so that a look through them takes less than a hash.
    private var running: [CurlHandle] = []
    /// Handles for reuse, which is cheaper than creating one.
    private var idle: [CurlHandle] = []

    /// How many transfers may share a connection over HTTP/2.
    private var mostStreams = RunningTransfers.manyStreams

    private static let idleLimit = 16
    /// As many as servers usually allow, and libcurl's default.
    private static let manyStreams = 100

    init(multi: SpateCurlMulti, load: LoopLoad, protocols: KnownProtocols) {
        self.multi = multi
        loop = LoopCommons(load: load, protocols: protocols)
    }

    var isEmpty: Bool { running.isEmpty }

    /// Executes and removes the commands, and lets libcurl work. Returns for how many milliseconds the loop may sleep;
    /// libcurl wakes earlier for its own timers.
    mutating func turn(executing commands: inout [EventLoop.Command]) -> CInt {
        loop.clock.tick()
        for command in commands {
            switch command {
            case .start(let id, let request, let forecast, let place, let sink):
                start(id, request, forecast, place, sink)
            case .cancel(let id): cancel(id)
            }
        }
        commands.removeAll(keepingCapacity: true)
        return perform()
    }

    /// Lets libcurl do its pending work, then ends the transfers that are done or timed out.
    private mutating func perform() -> CInt {
        // All that arrives from now on is read in this turn or later.
        let before = loop.clock.now
        for handle in running where handle.transfer?.endsPause(now: before) ?? false {
            // libcurl may deliver the piece at once. The transfer then pauses again.
            let code = spate_curl_easy_go_on(handle.easy)
            if code != CInt(SPATE_CURLE_OK) { end(handle, code: code) }
        }
        var count: CInt = 0
        _ = spate_curl_multi_perform(multi, &count)
        var code: CInt = 0
        while let easy = spate_curl_multi_next_done(multi, &code) {
            if let handle = CurlHandle.of(easy) { end(handle, code: code) }
        }
        let now = loop.clock.tick()
        var next = now + .seconds(60)
        for handle in running {
            switch handle.transfer?.check(now: now, turnBegan: before, on: handle) {
            case .goOn(let deadline): next = min(next, deadline)
            case .end(let end): self.end(handle, end)
            case nil: break
            }
        }
        // Rounded up, so that the loop does not spin just before a deadline.
        return CInt((next - now).wholeMilliseconds + 1)
    }

    mutating func close() {
        idle = []
    }

    private mutating func start(
        _ id: UInt64,
        _ request: TransportRequest,
        _ forecast: Forecast,
        _ place: LoopPlace,
        _ sink: any TransportSink
    ) {
        guard let handle = idle.popLast() ?? CurlHandle(loop: loop) else {
            loop.load.ended(isLarge: false, isComplete: false)
            place.leave(isComplete: false)
            let error = TransportError(.other(Int(CInt(SPATE_CURLE_OUT_OF_MEMORY))), detail: "out of memory")
            sink.end(.failed(error))
            return
        }
        do throws(CurlOptionFailure) {
            let transfer = CurlTransfer(id: id, request: request, place: place, sink: sink, loop: loop)
            try handle.take(transfer, request, forecast)
        } catch {
            let detail = CurlErrors.easyText(error.code)
            return end(handle, .failed(TransportError(.other(Int(error.code)), detail: detail)))
        }
        running.append(handle)
        if request.mayShareConnection { limitStreams(to: forecast.size == .large ? 1 : Self.manyStreams) }
        let code = spate_curl_multi_add(multi, handle.easy)
        if code != CInt(SPATE_CURLM_OK) {
            end(handle, .failed(TransportError(.other(Int(code)), detail: CurlErrors.multiText(code))))
        }
    }

    /// Streams of one connection share what TCP gives to it, and each lost packet slows down all. For small bodies it is
    /// worth that: they save the handshakes. A large one takes an idle connection, or a new one.
    private mutating func limitStreams(to most: Int) {
        if most == mostStreams { return }
        mostStreams = most
        _ = spate_curl_multi_set_long(multi, CInt(SPATE_CURLMOPT_MAX_CONCURRENT_STREAMS), most)
    }

    private mutating func cancel(_ id: UInt64) {
        if let handle = running.first(where: { $0.transfer?.id == id }) { end(handle, .cancelled) }
    }

    /// Ends a transfer that libcurl has ended.
    private mutating func end(_ handle: CurlHandle, code: CInt) {
        let isReusable = code == CInt(SPATE_CURLE_OK)
        if handle.transfer?.begins(againAfter: code, on: handle) ?? false {
            _ = spate_curl_multi_remove(multi, handle.easy)
            if spate_curl_multi_add(multi, handle.easy) == CInt(SPATE_CURLM_OK) { return }
        }
        if let end = handle.transfer?.end(code: code, on: handle) { self.end(handle, end, isReusable: isReusable) }
    }

    /// - Parameter isReusable: whether libcurl has ended it without an error. Otherwise, the handle may remember that a
    ///   stream was refused (up to 8.23), even after a reset, and would repeat a later request that has no response.
    private mutating func end(_ handle: CurlHandle, _ end: TransferEnd, isReusable: Bool = false) {
        if let index = running.firstIndex(where: { $0 === handle }) { running.remove(at: index) }
        if !end.isOfMessage {
            // Over HTTP/2, libcurl (7.88 and later) delays the reset of a stream until it has something else to send.
            // The server continues to send. Closing the connection stops it; if other streams use it, it stays open.
            handle.forbidReuse()
        }
        _ = spate_curl_multi_remove(multi, handle.easy)
        // Before the sink receives the end: if the sink starts another transfer, this loop and its connection are free.
        loop.load.ended(isLarge: handle.transfer?.isLarge ?? false, isComplete: end.isOfMessage)
        handle.transfer?.place.leave(isComplete: end.isOfMessage)
        handle.transfer?.finish(end)
        if isReusable, idle.count < Self.idleLimit {
            handle.recycle()
            idle.append(handle)
        }
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
