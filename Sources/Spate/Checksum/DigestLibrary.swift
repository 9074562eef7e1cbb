import SpateFileSystemCalls

/// The implementation of digests.
package enum DigestLibrary: Sendable {
    /// OpenSSL's libcrypto; our own SHA-256 if that is missing.
    case libcrypto
    /// Our own SHA-256 only.
    case none
    /// A simulation's own.
    case simulated(@Sendable (Checksum.Algorithm) -> any Digest)

    /// Whether digests of this algorithm can be computed on this machine.
    func computes(_ algorithm: Checksum.Algorithm) -> Bool {
        switch self {
        case .libcrypto: algorithm == .sha256 || LibcryptoDigest.computes(algorithm)
        case .none: algorithm == .sha256
        case .simulated: true
        }
    }

    /// A digest of no bytes yet; nil if it cannot be computed on this machine.
    func digest(_ algorithm: Checksum.Algorithm) -> (any Digest)? {
        switch self {
        case .libcrypto: LibcryptoDigest(algorithm) ?? DigestLibrary.none.digest(algorithm)
        case .none: algorithm == .sha256 ? SHA256() : nil
        case .simulated(let make): make(algorithm)
        }
    }

    /// The checksum of a file's first bytes; nil if `goesOn` became false, or if it cannot be computed on this machine.
    func checksum(
        _ algorithm: Checksum.Algorithm,
        of file: OpenFile,
        size: Int64,
        while goesOn: () -> Bool
    ) throws(FileSystemError) -> Checksum? {
        guard var digest = digest(algorithm), try digest.read(file, 0..<size, while: goesOn) else { return nil }
        return digest.finish().map { Checksum(algorithm, digest: $0) } ?? nil
    }
}
