/// What computes digests.
enum DigestLibrary: Sendable {
    /// OpenSSL's libcrypto; our own SHA-256 where that is missing.
    case libcrypto
    /// Our own SHA-256 alone.
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
}
