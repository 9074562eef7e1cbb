import Glibc
import Spate
package import SpateHTTPSyntax
import SpateTestSupport

/// The bytes of one version of a file, made when they are needed first.
package final class SimulatedContent: @unchecked Sendable {
    package let count: Int
    /// What it is, for messages.
    package let label: String
    private let seed: UInt64
    /// These bytes are another content's.
    private let shared: (content: SimulatedContent, range: Range<Int>)?
    private var made: [UInt8]?
    private var digests: [StatedDigest.Algorithm: [UInt8]] = [:]

    package init(
        seed: UInt64,
        count: Int,
        label: String,
        sharing shared: (content: SimulatedContent, range: Range<Int>)? = nil
    ) {
        (self.seed, self.count, self.label) = (seed, count, label)
        self.shared = shared.map { ($0.content, $0.range.clamped(to: 0..<min($0.content.count, count))) }
    }

    init(_ text: String, label: String) {
        made = Array(text.utf8)
        (count, self.label, seed, shared) = (text.utf8.count, label, 0, nil)
    }

    /// Names the bytes, as a hash of them would.
    package var name: String { String(seed & 0xFFFF_FFFF, radix: 16) }

    package var bytes: [UInt8] {
        if let made { return made }
        var bytes = Self.bytes(seed, count)
        if let (content, range) = shared { bytes.replaceSubrange(range, with: content.bytes[range]) }
        made = bytes
        return bytes
    }

    /// Whether these are the same bytes. Different contents differ in their first block already, unless they share it.
    package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == count, let start = other.baseAddress else { return other.count == count }
        return bytes.withUnsafeBytes { own in own.baseAddress.map { memcmp($0, start, count) == 0 } ?? true }
    }

    package func isSame(as other: [UInt8]) -> Bool { other.withUnsafeBytes { isSame(as: $0) } }

    func isSame(as file: FileContent) -> Bool { file.size == count && bytes.withUnsafeBytes(file.isSame) }

    /// The SHA-256 of each of about twenty pieces, and their length.
    private(set) lazy var pieces: (length: Int, digests: [[UInt8]]) = {
        let (bytes, length) = (bytes, max(1_000, count / 20))
        let digests = stride(from: 0, to: count, by: length).map { start in
            SimulatedDigest.of(bytes[start..<min(count, start + length)], .sha256)
        }
        return (length, digests)
    }()

    private lazy var rightPieces = piecesText(pieces.digests)

    /// The checksums of the pieces for a Metalink.
    func piecesText(wrong isWrong: Bool = false) -> (length: Int, text: String) {
        var (length, digests) = pieces
        if !isWrong { return (length, rightPieces) }
        // About the first.
        digests[0][0] ^= 1
        return (length, piecesText(digests))
    }

    private func piecesText(_ digests: [[UInt8]]) -> String {
        let hashes = digests.map { "<hash>\($0.hexadecimal)</hash>" }
        return "<pieces type=\"sha-256\" length=\"\(pieces.length)\">\(hashes.joined())</pieces>"
    }

    package func digest(_ algorithm: StatedDigest.Algorithm) -> [UInt8] {
        if let known = digests[algorithm] { return known }
        let digest = SimulatedDigest.of(bytes[...], algorithm.checksum)
        digests[algorithm] = digest
        return digest
    }

    /// Stretches of one block of noise, each stamped with its number: made at the speed of memcpy.
    private static func bytes(_ seed: UInt64, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = count
            guard let target = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            noise.withUnsafeBytes { noise in
                guard let source = noise.baseAddress else { return }
                var position = 0
                var random = SeededRandom(seed: seed)
                while position < count {
                    let length = min(stretch, count - position)
                    var stamp = random.next()
                    memcpy(target + position, source + Int(stamp % UInt64(noise.count - stretch)), length)
                    memcpy(target + position, &stamp, min(8, length))
                    position += length
                }
            }
        }
    }

    private static let stretch = 1_024
    private static let noise: [UInt8] = {
        var random = SeededRandom(seed: 0x5EED)
        var noise: [UInt8] = []
        while noise.count < 32 * 1_024 {
            let word = random.next()
            for shift in stride(from: 0, to: UInt64(64), by: 8) {
                noise.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return noise
    }()
}

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 2 * count) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
            return 2 * count
        }
    }
}
