/// A change of the common rate limit, by a key.
package enum RateStep: Equatable {
    case lower, higher, unlimited

    /// The limit after this step: one of 1, 2 and 5, times a power of ten.
    ///
    /// - Parameters:
    ///   - limit: the limit before; `nil` if there is none.
    ///   - speed: the present speed of all downloads together.
    package func limit(after limit: Int64?, at speed: Double) -> Int64? {
        switch self {
        case .lower:
            // Without a limit, the first step must have an effect.
            let above = limit.map(Double.init) ?? (speed >= 1 ? speed : 1_000_000)
            return Self.all.last { Double($0) < above } ?? Self.all.first
        case .higher: return limit.flatMap { limit in Self.all.first { $0 > limit } }
        case .unlimited: return nil
        }
    }

    /// From 1 kB/s to 500 MB/s.
    private static let all: [Int64] = (3...8).flatMap { exponent in
        let power = (0..<exponent).reduce(1 as Int64) { power, _ in power * 10 }
        return [power, 2 * power, 5 * power]
    }
}
