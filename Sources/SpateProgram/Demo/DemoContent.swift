/// The bytes of a made file: the same for the same seed, at any offset, so that nothing need be kept to compare with.
struct DemoContent: Sendable, Equatable {
    let seed: UInt64
    let size: Int
    /// Bytes that are kept after all, where they must be certain ones.
    private var stored: [UInt8]?

    init(seed: UInt64, size: Int) {
        self.seed = seed
        self.size = size
    }

    init(stored: [UInt8]) {
        seed = 0
        size = stored.count
        self.stored = stored
    }

    /// The bytes of a range, which must lie within the size.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        if let stored { return Array(stored[range]) }
        let first = range.lowerBound / 8
        let skipped = range.lowerBound - first * 8
        return [UInt8](unsafeUninitializedCapacity: skipped + range.count + 8) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var index = first
            for offset in stride(from: 0, to: skipped + range.count, by: 8) {
                raw.storeBytes(of: word(index).littleEndian, toByteOffset: offset, as: UInt64.self)
                index += 1
            }
            if skipped > 0 {
                raw.copyBytes(from: UnsafeRawBufferPointer(rebasing: raw[skipped..<(skipped + range.count)]))
            }
            count = range.count
        }
    }

    /// SplitMix64, of which any word can be computed without those before it.
    private func word(_ index: Int) -> UInt64 {
        var z = seed &+ (UInt64(truncatingIfNeeded: index) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
