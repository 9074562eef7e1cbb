import CSpateCrypto
import SpateHTTPTransport

/// A digest by OpenSSL's libcrypto, which uses special processor instructions. Once the process exits, it computes nothing
/// more, and its thread waits for the end.
final class LibcryptoDigest: Digest {
    private let digest: UnsafeMutableRawPointer
    private var hasFailed = false

    /// Fails if libcrypto is missing, or forbids the algorithm, as OpenSSL's FIPS mode does with MD5.
    init?(_ algorithm: Checksum.Algorithm) {
        guard let method = Self.methods[algorithm], let digest = ExitGate.inside({ spate_digest_new(method) }) else {
            return nil
        }
        self.digest = digest
    }

    deinit {
        ExitGate.inside { spate_digest_free(digest) }
    }

    static func computes(_ algorithm: Checksum.Algorithm) -> Bool { methods[algorithm] != nil }

    func update(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = ExitGate.inside { spate_digest_update(digest, bytes.baseAddress, bytes.count) != 0 }
        if !isAdded { hasFailed = true }
    }

    func finish() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: SPATE_LONGEST_DIGEST) { buffer, count in
            count = ExitGate.inside { Int(spate_digest_finish(digest, buffer.baseAddress)) }
        }
        return hasFailed || bytes.isEmpty ? nil : bytes
    }

    // Safe: any thread may use a method, and nothing changes the table.
    private nonisolated(unsafe) static let methods = Dictionary(
        uniqueKeysWithValues: Checksum.Algorithm.allCases.compactMap { algorithm in
            ExitGate.inside { spate_digest_method(algorithm.rawValue.uppercased()) }.map { (algorithm, $0) }
        }
    )
}
