import CCrypto

/// A digest by OpenSSL's libcrypto, which uses special processor instructions.
final class LibcryptoDigest: Digest {
    private let digest: UnsafeMutableRawPointer
    private var hasFailed = false

    /// Fails if libcrypto is missing, or forbids the algorithm, as OpenSSL's FIPS mode does with MD5.
    init?(_ algorithm: Checksum.Algorithm) {
        guard let method = Self.methods[algorithm], let digest = spate_digest_new(method) else { return nil }
        self.digest = digest
    }

    deinit {
        spate_digest_free(digest)
    }

    static func computes(_ algorithm: Checksum.Algorithm) -> Bool { methods[algorithm] != nil }

    func update(_ bytes: UnsafeRawBufferPointer) {
        if spate_digest_update(digest, bytes.baseAddress, bytes.count) == 0 { hasFailed = true }
    }

    func finish() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: SPATE_LONGEST_DIGEST) { buffer, count in
            count = Int(spate_digest_finish(digest, buffer.baseAddress))
        }
        return hasFailed || bytes.isEmpty ? nil : bytes
    }

    // Safe: any thread may use a method, and nothing changes the table.
    private nonisolated(unsafe) static let methods = Dictionary(
        uniqueKeysWithValues: Checksum.Algorithm.allCases.compactMap { algorithm in
            spate_digest_method(algorithm.rawValue.uppercased()).map { (algorithm, $0) }
        }
    )
}
