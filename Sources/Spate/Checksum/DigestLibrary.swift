import SpateFileSystemCalls

/// The implementation of digests.
enum DigestLibrary: Sendable {
    /// OpenSSL's libcrypto; our own SHA-256 if that is missing.
    case libcrypto
    /// Our own SHA-256 only.
    case none

    /// Whether digests of this algorithm can be computed on this machine.
    func computes(_ algorithm: Checksum.Algorithm) -> Bool {
        algorithm == .sha256 || self == .libcrypto && LibcryptoDigest.computes(algorithm)
    }

    /// A digest of no bytes yet; nil if it cannot be computed on this machine.
    func digest(_ algorithm: Checksum.Algorithm) -> (any Digest)? {
        if self == .libcrypto, let digest = LibcryptoDigest(algorithm) { return digest }
        return algorithm == .sha256 ? SHA256() : nil
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
