import Foundation
import Testing

@testable import Spate

@Suite struct ChecksumTests {
    private static let digits: [Checksum.Algorithm: Int] = [.md5: 32, .sha1: 40, .sha256: 64, .sha512: 128]

    @Test(arguments: Checksum.Algorithm.allCases)
    func aChecksumIsReadInEitherLetterCaseAndWrittenInOne(algorithm: Checksum.Algorithm) throws {
        let digest = String(repeating: "aF", count: (Self.digits[algorithm] ?? 0) / 2)
        let checksum = try Checksum(algorithm, digest)
        #expect(checksum.algorithm == algorithm && checksum.hexadecimal == digest.lowercased())
        #expect("\(checksum)" == "\(algorithm.rawValue):\(digest.lowercased())")
        for text in ["\(checksum)", "\(algorithm.rawValue.uppercased()):\(digest)"] {
            #expect(try Checksum(text) == checksum)
        }
        let data = try JSONEncoder().encode([checksum])
        #expect(String(decoding: data, as: UTF8.self) == #"["\#(checksum)"]"#)
        #expect(try JSONDecoder().decode([Checksum].self, from: data) == [checksum])
    }

    @Test(
        "A digest has the algorithm's number of ASCII hexadecimal digits and nothing else",
        arguments: Checksum.Algorithm.allCases
    )
    func badDigest(algorithm: Checksum.Algorithm) throws {
        let count = try #require(Self.digits[algorithm])
        let zeros = String(repeating: "0", count: count)
        let others = [
            "", String(zeros.dropLast()), zeros + "0", zeros.dropLast() + "g", zeros.dropLast() + "\n", " " + zeros,
            "0x" + zeros.dropLast(2), String(repeating: "é", count: count / 2), String(repeating: "０", count: count),
        ]
        for text in others {
            let error = #expect(throws: DownloadError.self) { try Checksum(algorithm, text) }
            #expect(error?.code == .badChecksum && error?.message.isSentence == true)
            #expect(error?.message.contains("\(count) hexadecimal digits") == true)
            #expect(throws: DownloadError.self) { try Checksum("\(algorithm.rawValue):\(text)") }
        }
    }

    @Test(arguments: ["", ":", "abc", "sha384:00", "sha-256:00", " sha256:00", String(repeating: "0", count: 64)])
    func aTextWithoutAKnownAlgorithmIsToldTheForm(text: String) {
        let error = #expect(throws: DownloadError.self) { try Checksum(text) }
        #expect(error?.code == .badChecksum && error?.message.isSentence == true)
        #expect(error?.message.contains("sha256:2c26") == true && error?.message.contains("sha512") == true)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Checksum].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func aDigestOfAnotherAlgorithmIsRecognised() {
        let error = #expect(throws: DownloadError.self) { try Checksum(.sha256, String(repeating: "a", count: 40)) }
        #expect(error?.message.hasSuffix("Give 64 hexadecimal digits; 40 are a SHA-1.") == true)
    }

    @Test func aRequestHasOneChecksumUnderTwoNames() throws {
        var request = DownloadRequest(URL(fileURLWithPath: "/"))
        let digest = String(repeating: "ab", count: 32)
        request.sha256 = digest.uppercased()
        #expect(try request.checksum == Checksum(.sha256, digest) && request.sha256 == digest)
        request.checksum = try Checksum(.md5, String(digest.prefix(32)))
        #expect(request.sha256 == nil)
        request.sha256 = "abc"
        #expect(request.sha256 == "abc" && request.checksum == nil)
        request.checksum = nil
        #expect(request.sha256 == nil && request.checksum == nil)
    }
}
