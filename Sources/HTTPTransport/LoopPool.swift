import HTTPResumption

/// The loops of a transport, and the choice of one for each transfer.
///
/// The least busy loop wins. Of those, a loop that has served the origin is better, because it may have an open
/// connection. Best is the one whose thread asks, because it need not be woken.
struct LoopPool: Sendable {
    private var loops: [EventLoop?]
    /// The loops that have served an origin, one bit per loop.
    private var loopsByOrigin: [String: UInt8] = [:]

    private struct Rank {
        let load: Int
        /// Breaks ties between equally busy loops: lower is better.
        let distance: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.load, left.distance) < (right.load, right.distance)
        }
    }

    /// Beyond this many origins all are forgotten, which costs each a new connection.
    private static let originLimit = 4096

    init(count: Int) {
        precondition((1...8).contains(count), "a transport has one to eight loops, one bit each")
        loops = Array(repeating: nil, count: count)
    }

    /// The loop for the next transfer, which it reserves there.
    mutating func loop(for url: HTTPURL) -> EventLoop {
        let origin = url.originText
        let known = loopsByOrigin[origin] ?? 0
        var best = 0
        var bestRank = Rank(load: .max, distance: .max)
        for index in loops.indices {
            let isUnknown = known & 1 << index == 0
            let distance = isUnknown ? 2 : loops[index]?.isCurrent == true ? 0 : 1
            let rank = Rank(load: loops[index]?.load ?? 0, distance: distance)
            if rank < bestRank { (best, bestRank) = (index, rank) }
        }
        if known & 1 << best == 0 {
            if loopsByOrigin.count >= Self.originLimit { loopsByOrigin.removeAll() }
            loopsByOrigin[origin] = known | 1 << best
        }
        let loop = loops[best] ?? EventLoop(name: "spate.loop.\(best)")
        loops[best] = loop
        // Count it here and not when it starts, so that two transfers that choose at once spread over two loops.
        loop.reserveTransfer()
        return loop
    }

    mutating func stopAll() {
        for loop in loops { loop?.stop() }
    }
}
