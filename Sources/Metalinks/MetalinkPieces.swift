/// The digests of a file's pieces. All pieces have the same length, except the last, which may be shorter.
package struct MetalinkPieces: Hashable, Sendable {
    package let algorithm: MetalinkDigest.Algorithm
    /// Of a piece, in bytes.
    package let length: Int64
    /// The digests one after the other, without a gap.
    package let bytes: [UInt8]

    package var count: Int { bytes.count / algorithm.length }

    /// The digest of one piece.
    package func digest(of piece: Int) -> ArraySlice<UInt8> {
        bytes[(piece * algorithm.length)..<((piece + 1) * algorithm.length)]
    }

    /// Whether a file of this size has as many pieces.
    func fit(_ size: Int64) -> Bool { count == size / length + (size % length > 0 ? 1 : 0) }
}

extension MetalinkPieces {
    /// The most digits of a text. 65,536 SHA-256 have half as many.
    private static let mostDigits = 7 << 20

    /// Such as `sha256 1048576 2c26…`, with all digests in one; `nil` if that is too long to keep.
    package var text: String? {
        if bytes.count * 2 > Self.mostDigits { return nil }
        let digits = Array("0123456789abcdef".utf8)
        let text = String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[2 * index] = digits[Int(byte >> 4)]
                buffer[2 * index + 1] = digits[Int(byte & 0xF)]
            }
            return bytes.count * 2
        }
        return "\(algorithm.rawValue) \(length) \(text)"
    }

    /// Parses `text`; `nil` unless it has the pieces of a file of this size.
    package init?(_ text: String, of size: Int64) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, let algorithm = MetalinkDigest.Algorithm(rawValue: String(Substring(parts[0]))),
            let length = Int64(Substring(parts[1])), length > 0
        else { return nil }
        let digits = Array(parts[2])
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        guard bytes.append(hexadecimal: digits[...], count: digits.count / 2) else { return nil }
        self.init(algorithm: algorithm, length: length, bytes: bytes)
        guard bytes.count % algorithm.length == 0, fit(size) else { return nil }
    }
}

/// Collects the digests of one `pieces` element.
struct PieceCollector {
    let algorithm: MetalinkDigest.Algorithm
    private let length: Int64?
    private var bytes: [UInt8] = []
    private(set) var count = 0
    /// Metalink 3 numbers its pieces.
    private var numbers: [Int]?
    private var fault: MetalinkRemark.PiecesFault?

    init(_ algorithm: MetalinkDigest.Algorithm, length: Int64?, areNumbered: Bool) {
        self.algorithm = algorithm
        self.length = length
        if areNumbered { numbers = [] }
    }

    mutating func append(hexadecimal text: ArraySlice<UInt8>, number: Int64?) {
        count += 1
        if !bytes.append(hexadecimal: text, count: algorithm.length) { fault = fault ?? .invalidDigest }
        numbers?.append(number.flatMap { Int(exactly: $0) } ?? -1)
    }

    /// The pieces, if they fit a file of this size.
    func pieces(for size: Int64?) -> Result<MetalinkPieces, MetalinkRemark.PiecesFault> {
        guard let length, length > 0 else { return .failure(.invalidLength) }
        if let fault { return .failure(fault) }
        guard let bytes = numbers.map(ordered) ?? bytes else { return .failure(.misnumbered) }
        let pieces = MetalinkPieces(algorithm: algorithm, length: length, bytes: bytes)
        guard count > 0, size.map(pieces.fit) ?? true else { return .failure(.wrongCount) }
        return .success(pieces)
    }

    /// The digests in the order of their numbers; `nil` unless these are all from 0 on.
    private func ordered(by numbers: [Int]) -> [UInt8]? {
        var place: [Int?] = Array(repeating: nil, count: count)
        for (index, number) in numbers.enumerated() {
            guard place.indices.contains(number), place[number] == nil else { return nil }
            place[number] = index
        }
        return place.compactMap(\.self).flatMap { bytes[($0 * algorithm.length)..<(($0 + 1) * algorithm.length)] }
    }
}
