import SpateHTTPSyntax
import Testing

@testable import SpateMetalinks

@Suite struct SampleTests {
    @Test func whatMirrorBrainWritesForMetalink4IsRead() throws {
        let metalink = try Metalink(Sample.openSUSE.bytes)
        #expect(metalink.version == .four && metalink.isDynamic)
        #expect(
            metalink.origin?.text == "http://download.example.org/distribution/leap/iso/Leap-NET-x86_64.iso.meta4"
        )
        let file = try #require(metalink.files.first)
        #expect(metalink.files.count == 1 && file.name == "Leap-NET-x86_64.iso" && file.size == 1_200_000)
        #expect(file.hasSignature)
        #expect(file.digests.map(\.algorithm) == [.sha256, .sha1, .md5])
        #expect(
            file.digests.first?.text == "sha256:840a8dcfeae95966a870b0b5257997ce94cbc19dd979409d1671d2e93a9e0de6"
        )
        // Not the pieces of zsync, which come first, or those of SHA-1.
        let pieces = try #require(file.pieces)
        #expect(pieces.algorithm == .sha256 && pieces.length == 262_144 && pieces.count == 5)
        #expect(
            pieces.digest(of: 0).hexadecimal == "9bf810ee2b63295615e373875faa8673ad44c4be1cd4d5229754318ae56c5d1d"
        )
        #expect(
            pieces.digest(of: 4).hexadecimal == "02d6705465f724e667eec14e62c6b1cbf9da31ce80855e8a93bfdfca64d2e999"
        )
        #expect(
            file.mirrors.map { "\($0.priority) \($0.location ?? "-") \($0.url)" } == [
                "1 de https://mirror1.example.de/leap/iso/Leap-NET-x86_64.iso",
                "2 cz http://mirror.example.cz/leap/iso/Leap-NET-x86_64.iso",
                "3 de http://mirror2.example.de/pub/leap/iso/Leap-NET-x86_64.iso",
                "5 us http://mirror.example.com/leap/iso/Leap-NET-x86_64.iso?from=meta4&n=5",
            ]
        )
        #expect(file.remarks == [.unusableURLs(1), .skippedMetaURLs(1)])
    }

    @Test func whatMirrorBrainWritesForMetalink3IsRead() throws {
        let metalink = try Metalink(Sample.libreOffice.bytes)
        #expect(metalink.version == .three && metalink.isDynamic)
        #expect(metalink.origin?.lastPathComponent.hexadecimal.hasSuffix("6d6574616c696e6b") == true)
        let file = try #require(metalink.files.first)
        #expect(metalink.files.count == 1 && file.name == "Office_24.2_Linux_x86-64_deb.tar.gz")
        #expect(file.size == 1 << 20 && file.hasSignature)
        #expect(
            file.digests.map(\.text).first
                == "sha256:9294ab38039f60d2ec53822fb46b52c663af7ea478f4d17bf43da44ede5e166c"
        )
        #expect(file.pieces?.algorithm == .sha1 && file.pieces?.count == 4)
        #expect(file.pieces?.digest(of: 3).hexadecimal == "e26dd78aea7e38981ca6b994a7dc225b28d6bb08")
        #expect(file.mirrors.map { "\($0.priority) \($0.location ?? "-")" } == ["1 de", "3 jp", "4 at"])
        #expect(file.remarks == [.unusableURLs(1), .skippedMetaURLs(1)])
    }

    @Test func whatMirrorManagerWritesIsReadWithoutItsAlternates() throws {
        let metalink = try Metalink(Sample.fedora.bytes)
        #expect(metalink.version == .three && metalink.isDynamic && metalink.origin == nil)
        let file = try #require(metalink.files.first)
        #expect(metalink.files.count == 1 && file.name == "repomd.xml" && file.size == 5478 && !file.hasSignature)
        #expect(file.digests.map(\.algorithm) == [.sha512, .sha256, .sha1, .md5])
        #expect(file.digests.map(\.text).first?.hasPrefix("sha512:3c9946075257998425bb6fbd0d12276f") == true)
        #expect(file.pieces == nil)
        #expect(
            file.mirrors.map { "\($0.location ?? "-") \($0.url.origin)" } == [
                "us https://mirror1.example.com", "br http://mirror2.example.com", "jp https://mirror3.example.com",
            ]
        )
        #expect(file.remarks == [.unusableURLs(2)])
    }

    /// Cut at every seventh byte, and at each of the last ones: the fuzzer cuts elsewhere.
    @Test(arguments: Sample.allCases) func aDocumentThatEndsEarlyIsRefused(sample: Sample) throws {
        let bytes = try sample.bytes
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: ">")))
        for count in Array(stride(from: 0, to: end - 50, by: 7)) + Array(end - 50...end) {
            #expect(throws: MetalinkError.self, "the first \(count) bytes") { try Metalink(Array(bytes[..<count])) }
        }
        #expect(throws: Never.self) { try Metalink(Array(bytes[...end])) }
    }

    /// Every fifth byte becomes another one, in turn of each kind that the reader knows.
    @Test(arguments: Sample.allCases) func noChangedByteEndsTheProcess(sample: Sample) throws {
        var bytes = try sample.bytes
        let version = try Metalink(bytes).version
        let others = Array("<>&\"'/=! x0:]".utf8) + [0x00, 0x0D, 0x80, 0xC3, 0xFF, 0x2D]
        var (refused, read) = (0, 0)
        for index in stride(from: 0, to: bytes.count, by: 5) {
            let byte = bytes[index]
            bytes[index] = others[index % others.count]
            if let metalink = try? Metalink(bytes) {
                read += 1
                #expect(metalink.version == version && metalink.files.count <= 1)
            } else {
                refused += 1
            }
            bytes[index] = byte
        }
        #expect(refused > bytes.count / 20 && read > bytes.count / 20)
    }
}
