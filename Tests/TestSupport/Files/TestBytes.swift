import Foundation

/// Content for test files: the same for the same seed, whatever the length, and never the same in two places.
package enum TestBytes {
    /// Deterministic pseudo-random bytes, fast enough for a hundred megabytes without optimisation.
    ///
    /// One random block is repeated. Its length is no power of two, so that a shift by a round number shows, and the
    /// place is mixed into it every 512 bytes, so that no two blocks are equal.
    package static func random(count: Int, seed: UInt64 = 1) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is not negative")
        let block = randomWords(8_191, seed: seed)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
            let raw = UnsafeMutableRawBufferPointer(bytes)
            block.withUnsafeBytes { source in
                for start in stride(from: 0, to: count, by: source.count) {
                    let length = min(source.count, count - start)
                    let piece = UnsafeMutableRawBufferPointer(rebasing: raw[start..<(start + length)])
                    piece.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<length]))
                }
            }
            for place in stride(from: 0, to: count, by: 512) {
                withUnsafeBytes(of: mix(seed &+ UInt64(place))) { mark in
                    let length = min(mark.count, count - place)
                    let piece = UnsafeMutableRawBufferPointer(rebasing: raw[place..<(place + length)])
                    piece.copyMemory(from: UnsafeRawBufferPointer(rebasing: mark[..<length]))
                }
            }
            initializedCount = count
        }
    }

    private static func randomWords(_ count: Int, seed: UInt64) -> [UInt64] {
        (0..<UInt64(count)).map { mix(seed &* 0x9E37_79B9_7F4A_7C15 &+ $0) }
    }

    /// SplitMix64's finishing step: every bit of the input moves half of the output's.
    private static func mix(_ value: UInt64) -> UInt64 {
        var word = value &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
