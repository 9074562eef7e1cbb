import SpateHTTPSyntax

/// The loops of a transport. Chooses one for each transfer.
///
/// The least busy loop wins. Among equals, a loop that has connections to the origin is better, because one may become
/// idle. A loop with an idle one is better still, even if it is a little busier. The best is the loop whose own thread
/// asks, because nobody needs to wake it.
///
/// The first loop runs on a queue on which operations also start. It gets no transfer that is expected to be large, so
/// that starts seldom wait for a large block to be written.
struct LoopPool: Sendable {
    private var loops: [EventLoop?]
    let experience = Experience()
    private var connectionsByOrigin: [HTTPOrigin: OriginConnections] = [:]

    /// A loop that must connect counts as this much busier. A larger imbalance is worth a connection.
    private static let pressureOfConnecting = 2

    /// Beyond this many origins, all are forgotten. Each then costs a new connection.
    private static let originLimit = 4096

    init(count: Int) {
        precondition((1...OriginConnections.mostLoops).contains(count), "a transport has one to eight loops")
        loops = Array(repeating: nil, count: count)
        loops[0] = EventLoop(queue: "spate.loop.0", experience: experience)
    }

    /// The loop that serves small transfers; `nil` if the process had no memory or descriptor for it.
    var shared: EventLoop? { loops[0]?.queue == nil ? nil : loops[0] }

    /// Chooses a loop and reserves a transfer there; `nil` if there is no loop and none can be made. The next transfer
    /// tries again.
    mutating func loop(for request: TransportRequest, _ forecast: Forecast) -> (EventLoop, LoopPlace)? {
        let connections = connections(to: request.url.origin)
        var best = best(for: forecast, connections)
        if loops[best] == nil {
            loops[best] = EventLoop(thread: "spate.loop.\(best)", experience: experience)
            // A busy loop is better than none.
            if loops[best] == nil { best = self.best(for: forecast, connections, isThere: true) }
        }
        guard let loop = loops[best] else { return nil }
        // Count it here, so that two transfers that choose at once spread over two loops.
        loop.load.reserve()
        connections.reserve(on: best)
        return (loop, LoopPlace(loop: best, connections: connections))
    }

    private mutating func connections(to origin: HTTPOrigin) -> OriginConnections {
        if let known = connectionsByOrigin[origin] { return known }
        if connectionsByOrigin.count >= Self.originLimit { connectionsByOrigin.removeAll() }
        let new = OriginConnections()
        connectionsByOrigin[origin.alone] = new
        return new
    }

    /// The index of the best loop.
    ///
    /// - Parameters:
    ///   - connections: those to the origin.
    ///   - isThere: whether the loop must exist already.
    private func best(for forecast: Forecast, _ connections: OriginConnections, isThere: Bool = false) -> Int {
        let (size, isSharing) = (forecast.size, forecast.prefersSharing)
        var best = 0
        var bestRank = (pressure: Int.max, distance: Int.max)
        let candidates = size == .large && loops.count > 1 ? 1..<loops.count : loops.indices
        for index in isThere ? loops.indices : candidates where !isThere || loops[index] != nil {
            let loop = connections.areThere(on: index) ? loops[index] : nil
            let isOneFree = isSharing || connections.isOneFree(on: index)
            // Breaks ties between equally busy loops: lower is better.
            let distance = loop.map { isOneFree ? $0.isCurrent ? 0 : 1 : 2 } ?? 3
            let pressure = loops[index]?.load.pressure(on: size, isSharing: isSharing) ?? 0
            let connecting = distance > 1 ? Self.pressureOfConnecting : 0
            let rank = (pressure: pressure + connecting, distance: distance)
            if rank < bestRank { (best, bestRank) = (index, rank) }
        }
        return best
    }

    mutating func stopAll() {
        for loop in loops { loop?.stop() }
    }
}
