import HTTPResumption

/// Which loop takes the next transfer: the least busy one, and among those one that has spoken to the host before,
/// since it may still have a connection.
struct LoopChoice: Sendable {
    private var loops: [EventLoop?]
    private var known: [Set<String>]

    /// So many origins are remembered for a loop; more are forgotten all at once, which costs a connection each.
    private static let rememberedOrigins = 1024

    init(count: Int) {
        loops = Array(repeating: nil, count: count)
        known = Array(repeating: [], count: count)
    }

    mutating func loop(for url: HTTPURL) -> EventLoop {
        let origin = url.originText
        var best = 0
        var bestRank = (load: Int.max, stranger: true)
        for index in loops.indices {
            let rank = (load: loops[index]?.load ?? 0, stranger: !known[index].contains(origin))
            if rank.load < bestRank.load || (rank.load == bestRank.load && bestRank.stranger && !rank.stranger) {
                (best, bestRank) = (index, rank)
            }
        }
        if bestRank.stranger {
            if known[best].count >= Self.rememberedOrigins { known[best].removeAll() }
            known[best].insert(origin)
        }
        if let loop = loops[best] { return loop }
        let loop = EventLoop(name: "spate.loop.\(best)")
        loops[best] = loop
        return loop
    }

    mutating func stopAll() {
        for loop in loops { loop?.stop() }
    }
}
