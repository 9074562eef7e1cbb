import SpateTestSupport
import Testing

@testable import Spate

@Suite struct DigestTests {
    private static func digest(
        _ bytes: [UInt8],
        _ algorithm: Checksum.Algorithm = .sha256,
        by library: DigestLibrary,
        inPiecesOf size: Int = .max
    ) throws -> String {
        var digest = try #require(library.digest(algorithm))
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                digest.update(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
        let found = digest.finish()
        return Checksum(algorithm, digest: try #require(found)).hexadecimal
    }

    /// The libraries that compute an algorithm. A machine without libcrypto fails the test.
    private static func libraries(_ algorithm: Checksum.Algorithm) -> [DigestLibrary] {
        algorithm == .sha256 ? [.libcrypto, .none] : [.libcrypto]
    }

    /// Of RFC 1321, RFC 3174 and FIPS 180.
    private static let examples: [(Checksum.Algorithm, text: String, digest: String)] = [
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"), (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.md5, String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha1, twoBlocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (.sha1, million, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (.sha256, long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        (.sha256, million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512, long,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
        (
            .sha512, million,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
    ]
    private static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
        + "nopqrstu"
    private static let million = String(repeating: "a", count: 1_000_000)

    @Test(arguments: examples.indices) func theExamplesOfTheStandardsComeOut(index: Int) throws {
        let (algorithm, text, expected) = Self.examples[index]
        for library in Self.libraries(algorithm) {
            #expect(library.computes(algorithm))
            #expect(try Self.digest(Array(text.utf8), algorithm, by: library) == expected)
            #expect(try Self.digest(Array(text.utf8), algorithm, by: library, inPiecesOf: 4_099) == expected)
        }
    }

    /// Around the ends of blocks, where the padding takes one block or two.
    @Test(arguments: Checksum.Algorithm.allCases)
    func thePiecesInWhichBytesComeMakeNoDifference(algorithm: Checksum.Algorithm) throws {
        for count in [0, 1, 55, 56, 57, 63, 64, 65, 111, 112, 119, 127, 128, 129, 200] {
            let bytes = TestBytes.random(count: count, seed: 7)
            let whole = try Self.digest(bytes, algorithm, by: .libcrypto)
            for size in [1, 3, 7, 63, 64, 65, 127, 201] {
                for library in Self.libraries(algorithm) {
                    #expect(try Self.digest(bytes, algorithm, by: library, inPiecesOf: size) == whole)
                }
            }
        }
    }

    @Test func bothImplementationsOfSHA256Agree() throws {
        for count in Array(0...300) + [65_535, 1_000_003] {
            let bytes = TestBytes.random(count: count, seed: 11)
            #expect(try Self.digest(bytes, by: .none) == Self.digest(bytes, by: .libcrypto), "\(count) bytes")
        }
    }
}
