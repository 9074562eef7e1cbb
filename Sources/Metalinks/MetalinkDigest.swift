/// A digest of a whole file.
package struct MetalinkDigest: Hashable, Sendable {
    /// Named as in `Checksum.Algorithm`, weakest first.
    package enum Algorithm: String, CaseIterable, Sendable {
        case md5, sha1, sha256, sha512

        /// From a name such as `sha-256` (Metalink 4) or `sha256` (Metalink 3); `nil` if it is unknown.
        init?(stated name: String) {
            let name = name.lowercased()
            self.init(rawValue: name.hasPrefix("sha-") ? "sha" + name.dropFirst(4) : name)
        }

        /// In bytes.
        package var length: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]
}

extension MetalinkDigest.Algorithm: Comparable {
    /// Whether `left` is weaker.
    package static func < (left: Self, right: Self) -> Bool { left.length < right.length }
}

extension [UInt8] {
    /// Appends the bytes of exactly this many pairs of hexadecimal digits.
    ///
    /// - Returns: whether the text is that. If not, some bytes may be missing.
    mutating func append(hexadecimal text: ArraySlice<UInt8>, count: Int) -> Bool {
        guard text.count == 2 * count else { return false }
        let digits = text.span
        for index in 0..<count {
            guard let high = digits[2 * index].hexadecimalValue, let low = digits[2 * index + 1].hexadecimalValue else {
                return false
            }
            append(high << 4 | low)
        }
        return true
    }
}
