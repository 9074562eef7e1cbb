package import Foundation

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

extension TestBytes {
    /// Says where two contents differ first; `nil` when they are the same.
    ///
    /// For large contents, in place of `==`: an expectation that fails with `==` looks for the smallest difference
    /// between the two, which takes minutes for a megabyte.
    package static func difference(_ found: some ContiguousBytes, from wanted: some ContiguousBytes) -> String? {
        found.withUnsafeBytes { found in
            wanted.withUnsafeBytes { wanted in
                let common = min(found.count, wanted.count)
                let lengths =
                    found.count == wanted.count ? "" : ", with \(found.count) bytes in place of \(wanted.count)"
                guard let place = firstDifference(found, wanted, upTo: common) else {
                    return lengths.isEmpty ? nil : "the same up to byte \(common)" + lengths
                }
                return "different from byte \(place) on (\(found[place]) in place of \(wanted[place]))" + lengths
            }
        }
    }

    private static func firstDifference(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        upTo end: Int
    ) -> Int? {
        guard let firstStart = first.baseAddress, let secondStart = second.baseAddress else { return nil }
        for start in stride(from: 0, to: end, by: 4_096) {
            let length = min(4_096, end - start)
            if memcmp(firstStart + start, secondStart + start, length) != 0 {
                return (start..<(start + length)).first { first[$0] != second[$0] }
            }
        }
        return nil
    }
}

/// Chance that is the same for the same seed (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}
