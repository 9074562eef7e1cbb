import Spate
import SpateHTTPSyntax
import SpateTestSupport

/// As long as a digest of its algorithm, and much faster: a world needs no more than that other bytes have another one.
struct SimulatedDigest: Digest {
    private static let blockSize = 32
    private static let prime: UInt64 = 0x9E37_79B1_85EB_CA87

    private var lanes: SIMD4<UInt64>
    /// The bytes of a block that is not complete.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0
    private let length: Int

    init(_ algorithm: Checksum.Algorithm) {
        length =
            switch algorithm {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        lanes = SIMD4(repeating: UInt64(length))
    }

    static func of(_ bytes: ArraySlice<UInt8>, _ algorithm: Checksum.Algorithm) -> [UInt8] {
        var digest = SimulatedDigest(algorithm)
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.result()
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var bytes = bytes
        count += UInt64(bytes.count)
        if !rest.isEmpty {
            let taken = min(Self.blockSize - rest.count, bytes.count)
            rest += bytes[..<taken]
            bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
            guard rest.count == Self.blockSize else { return }
            rest.withUnsafeBytes { lanes = Self.mix(lanes, $0) }
        }
        let whole = bytes.count / Self.blockSize * Self.blockSize
        lanes = Self.mix(lanes, UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        rest = Array(bytes[whole...])
    }

    /// Each step has another result for another word.
    private static func mix(_ lanes: SIMD4<UInt64>, _ bytes: UnsafeRawBufferPointer) -> SIMD4<UInt64> {
        var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
        func next(_ lane: UInt64, _ offset: Int) -> UInt64 {
            let mixed = (lane ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* prime
            return mixed ^ mixed >> 32
        }
        for offset in stride(from: 0, to: bytes.count, by: blockSize) {
            (a, b) = (next(a, offset), next(b, offset + 8))
            (c, d) = (next(c, offset + 16), next(d, offset + 24))
        }
        return SIMD4(a, b, c, d)
    }

    func finish() -> [UInt8]? { result() }

    private func result() -> [UInt8] {
        let padded = rest + Array(repeating: 0, count: Self.blockSize - rest.count)
        let lanes = padded.withUnsafeBytes { Self.mix(self.lanes, $0) }
        let seed = (0..<4).reduce(count) { (($0 ^ lanes[$1]) &* Self.prime).byteSwapped }
        var random = SeededRandom(seed: seed)
        return (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
    }
}

extension StatedDigest.Algorithm {
    var checksum: Checksum.Algorithm {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
