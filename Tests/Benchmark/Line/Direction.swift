/// One direction of a line: what becomes of a packet, and when. Times are nanoseconds of any clock that only goes up.
struct Direction {
    enum Fate: Equatable {
        /// By chance.
        case lost
        /// The queue was full.
        case dropped
        case arrives(at: UInt64)
    }

    let delayNanoseconds: UInt64
    let bitsPerSecond: Double
    /// The chance of each packet, from 0 to 1.
    let loss: Double
    /// What may wait for the line.
    let queueBytes: Int
    private var random: Xorshift
    /// When the line has sent everything that waits for it.
    private var isFreeAt: UInt64 = 0

    init(delayNanoseconds: UInt64, bitsPerSecond: Double, loss: Double, queueBytes: Int, seed: UInt64) {
        (self.delayNanoseconds, self.bitsPerSecond) = (delayNanoseconds, bitsPerSecond)
        (self.loss, self.queueBytes) = (loss, queueBytes)
        random = Xorshift(seed: seed)
    }

    mutating func send(bytes: Int, at now: UInt64) -> Fate {
        // Drawn for each packet, so that the losses depend on nothing but the packets' numbers.
        let chance = random.next()
        if chance < loss { return .lost }
        let start = max(isFreeAt, now)
        let waiting = Double(start - now) * bitsPerSecond / 8e9
        if waiting + Double(bytes) > Double(queueBytes) { return .dropped }
        isFreeAt = start + UInt64(Double(bytes) * 8e9 / bitsPerSecond)
        return .arrives(at: isFreeAt + delayNanoseconds)
    }
}

/// Marsaglia's xorshift generator of 64 bits.
struct Xorshift {
    private var state: UInt64

    /// Any two seeds give sequences that look unrelated.
    init(seed: UInt64) {
        state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
        for _ in 0..<8 { _ = next() }
    }

    /// At least 0, less than 1.
    mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / 9_007_199_254_740_992
    }
}
