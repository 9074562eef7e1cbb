import TestSupport
import Testing

@testable import Spate

@Suite struct SHA256Tests {
    private static func digest(_ bytes: [UInt8], inPiecesOf size: Int = .max) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                hash.update(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
        return hash.finish()
    }

    @Test(
        "The examples of the standard come out",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                    + "nopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ]
    )
    func standardExamples(text: String, digest: String) {
        #expect(Self.digest(Array(text.utf8)) == digest)
    }

    @Test func aMillionLettersComeOut() {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(Self.digest(letters) == expected)
        #expect(Self.digest(letters, inPiecesOf: 4_099) == expected)
    }

    /// Around a block's end, where the padding takes one block or two.
    @Test(
        arguments: [
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
        ]
    )
    func lengthsAroundABlockComeOut(count: Int, digest: String) {
        #expect(Self.digest([UInt8](repeating: UInt8(ascii: "a"), count: count)) == digest)
    }

    @Test(arguments: 55...65)
    func thePiecesInWhichBytesComeMakeNoDifference(count: Int) {
        let bytes = TestBytes.random(count: count * 3, seed: 7)
        let whole = Self.digest(bytes)
        for size in 1...(count + 10) { #expect(Self.digest(bytes, inPiecesOf: size) == whole) }
    }

    @Test func emptyPiecesChangeNothingAndEveryLengthHasItsOwnDigest() {
        var hash = SHA256()
        for byte in "abc".utf8 {
            hash.update(UnsafeRawBufferPointer(start: nil, count: 0))
            withUnsafeBytes(of: byte) { hash.update($0) }
        }
        #expect(hash.finish() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let zeros = (0...200).map { Self.digest([UInt8](repeating: 0, count: $0)) }
        #expect(Set(zeros).count == zeros.count && zeros.allSatisfy(SHA256.isDigest))
    }

    @Test(
        "A digest is 64 hexadecimal digits and nothing else",
        arguments: [
            (String(repeating: "aF", count: 32), true), (String(repeating: "0", count: 64), true),
            (String(repeating: "0", count: 63), false), (String(repeating: "0", count: 65), false), ("", false),
            (String(repeating: "0", count: 63) + "g", false), (String(repeating: "0", count: 63) + "\n", false),
            (String(repeating: "é", count: 32), false), (String(repeating: "０", count: 64), false),
        ]
    )
    func digestForm(text: String, isDigest: Bool) {
        #expect(SHA256.isDigest(text) == isDigest)
    }
}
