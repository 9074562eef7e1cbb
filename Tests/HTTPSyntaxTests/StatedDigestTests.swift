import SpateHTTPSyntax
import Testing

@Suite struct StatedDigestTests {
    /// Of no bytes.
    private static let sha256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let md5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
    private static let other = "1B2M2Y8AsgTpgAmY7PhCfw=="

    private static func digest(_ fields: HTTPFields, status: Int = 200) -> StatedDigest? {
        StatedDigest(head: ResponseHead(status: status, fields: fields))
    }

    @Test(arguments: [200, 206]) func theBestOfAReprDigestCounts(status: Int) {
        let digest = Self.digest(["Repr-Digest": "md5=:\(Self.md5):, SHA-256=:\(Self.sha256):"], status: status)
        #expect(digest?.algorithm == .sha256 && digest?.bytes.count == 32 && digest?.bytes.first == 0xe3)
        #expect(digest?.bytes.last == 0x55 && digest?.field == .reprDigest)
    }

    @Test func theHashOfGooglesStorageIsOfWhatIsStored() {
        let hash: HTTPFields = ["x-goog-hash": "crc32c=AAAAAA==", "X-Goog-Hash": "md5=\(Self.md5)"]
        #expect(Self.digest(hash)?.algorithm == .md5)
        var stored = hash
        stored.append(name: "x-goog-stored-content-encoding", value: "gzip")
        #expect(Self.digest(stored) == nil)
        stored.append(name: "Content-Encoding", value: "gzip")
        #expect(Self.digest(stored)?.bytes.first == 0xd4)
    }

    @Test func aContentMD5IsOfTheBodyAndSoOfAWholeOne() {
        #expect(Self.digest(["Content-MD5": Self.md5])?.field == .contentMD5)
        #expect(Self.digest(["Content-MD5": Self.md5], status: 206) == nil)
    }

    @Test func aDigestOfTheOldKindIsOfTheWholeAsItIsSent() {
        let fields: HTTPFields = ["Digest": "MD5=\(Self.md5), SHA-256=\(Self.sha256)"]
        let digest = Self.digest(fields)
        #expect(digest?.algorithm == .sha256 && digest?.field == .digest)
        #expect(Self.digest(["Digest": "sha=2jmj7l5rSw0yVb/vlWAYkK/YBwk="])?.algorithm == .sha1)
        // Many servers make it of the message.
        #expect(Self.digest(fields, status: 206) == nil)
        var encoded = fields
        encoded.append(name: "Content-Encoding", value: "gzip")
        #expect(Self.digest(encoded) == nil)
    }

    @Test(arguments: StatedDigest.Field.allCases) func aDigestIsReadBackAsItWasStored(field: StatedDigest.Field) {
        for (algorithm, text) in [("md5", Self.md5), ("sha-256", Self.sha256)] {
            let stored = "\(field.rawValue) \(algorithm) \(text)"
            #expect(StatedDigest(stored: stored)?.storedText == stored)
        }
        for forged in ["", "md5 \(Self.md5)", "ETag md5 \(Self.md5)", "Digest md5 \(Self.md5) ", "Digest md5 AAAA"] {
            #expect(StatedDigest(stored: forged) == nil)
        }
    }

    @Test(
        arguments: [
            ["Repr-Digest": "md5=\(md5)"], ["Repr-Digest": "md5=:\(md5.dropLast()):"], ["Repr-Digest": "md5=::"],
            ["Repr-Digest": "md5=:AAAA:"], ["Repr-Digest": "md5=:\(md5.dropLast(3))*==:"],
            ["Repr-Digest": "crc32c=:AAAA:"],
            ["Repr-Digest": "md5=:\(md5):, md5=:\(other):"], ["Content-MD5": md5, "content-md5": other],
            ["x-goog-hash": "md5=\(md5),md5=\(other)"], ["ETag": "\"d41d8cd98f00b204e9800998ecf8427e\""], [:],
        ] as [HTTPFields]
    )
    func whatIsNotCertainIsNoDigest(fields: HTTPFields) {
        #expect(Self.digest(fields) == nil)
    }
}
