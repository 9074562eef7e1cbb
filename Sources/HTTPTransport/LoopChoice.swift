import HTTPResumption

/// Which loop takes the next transfer: the least busy one, and among those one that has spoken to the host before,
/// since it may still have a connection, and best the one whose thread asks, which need not be woken for it.
struct LoopChoice: Sendable {
    private var loops: [EventLoop?]
    /// The loops that know an origin, a bit for each.
    private var acquainted: [String: UInt8] = [:]

    private struct Rank {
        let load: Int
        /// Of loops that are equally busy the nearest is best.
        let distance: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.load, left.distance) < (right.load, right.distance)
        }
    }

    /// So many origins are remembered; more are forgotten all at once, which costs a connection each.
    private static let rememberedOrigins = 4096

    init(count: Int) {
        precondition((1...8).contains(count), "A transport has at least one loop and a bit for each")
        loops = Array(repeating: nil, count: count)
    }

    /// The loop for a transfer that is started next.
    mutating func loop(for url: HTTPURL) -> EventLoop {
        let origin = url.originText
        let known = acquainted[origin] ?? 0
        var best = 0
        var bestRank = Rank(load: .max, distance: .max)
        for index in loops.indices {
            let isStranger = known & 1 << index == 0
            let distance = isStranger ? 2 : loops[index]?.isCurrent == true ? 0 : 1
            let rank = Rank(load: loops[index]?.load ?? 0, distance: distance)
            if rank < bestRank { (best, bestRank) = (index, rank) }
        }
        if known & 1 << best == 0 {
            if acquainted.count >= Self.rememberedOrigins { acquainted.removeAll() }
            acquainted[origin] = known | 1 << best
        }
        let loop = loops[best] ?? EventLoop(name: "spate.loop.\(best)")
        loops[best] = loop
        // Now, and not when it starts: two that choose at the same time would take the same loop, and a third would open
        // a connection on another that it can do without.
        loop.expectTransfer()
        return loop
    }

    mutating func stopAll() {
        for loop in loops { loop?.stop() }
    }
}
