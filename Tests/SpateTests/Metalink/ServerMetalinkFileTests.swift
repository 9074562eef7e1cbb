import Foundation
import SpateHTTPSyntax
import Testing

@testable import Spate

/// Which file of a Metalink that a server names is taken.
@Suite struct ServerMetalinkFileTests {
    private func read(
        _ files: [(name: String, url: String, size: Int)],
        _ request: DownloadRequest
    ) throws
        -> ServerMetalink
    {
        let url = try HTTPURL("https://h/d/f.iso?x=1")
        let texts = files.map { "<file name=\"\($0.name)\"><size>\($0.size)</size><url>\($0.url)</url></file>" }
        let document = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(texts.joined())</metalink>"
        let link = MetalinkLink(route: RequestRoute(to: url), source: try HTTPURL("https://cdn/e/f-1.iso"), size: 7)
        return ServerMetalink(Data(document.utf8), from: url, at: link, of: url, WantedFile(request))
    }

    @Test func theFileIsFoundByItsURLThenByItsNameThenAsTheOnlyOne() throws {
        let request = DownloadRequest(try #require(URL(string: "https://h/d/f.iso?x=1")))
        let other = (name: "other", url: "https://m/other", size: 7)
        for url in ["https://h/d/f.iso?x=1", "https://cdn/e/f-1.iso"] {
            let files = [(name: "f.iso", url: "https://m/a", size: 8), (name: "x", url: url, size: 7), other]
            #expect(try read(files, request).file?.name == "x")
        }
        for name in ["f.iso", "f-1.iso", "folder/f.iso"] {
            #expect(try read([other, (name: name, url: "https://m/b", size: 7)], request).file?.name == name)
        }
        #expect(try read([other], request).file?.name == "other")
        for files in [[], [other, (name: "another", url: "https://m/b", size: 7)]] {
            #expect(
                try read(files, request).remarks == [
                    .metalinkNotUsed("None of its \(files.count) files has the URL or the name of this one.")
                ]
            )
        }
    }

    @Test func anotherChecksumThanTheRequestsIsNotTaken() throws {
        let url = try #require(URL(string: "https://h/d/f"))
        let link = MetalinkLink(
            route: RequestRoute(to: try HTTPURL("https://h/f.meta4")),
            source: try HTTPURL("https://h/d/f"),
            size: Int64(PiecedFile.content.count)
        )
        let document = Data(PiecedFile.document([url]).utf8)
        let own = try Checksum(.sha256, PiecedFile.sum(PiecedFile.content[...]))
        let another = try Checksum(.sha256, String(repeating: "ab", count: 32))
        let md5 = try Checksum(.md5, String(repeating: "ab", count: 16))
        for (checksum, isTaken) in [(own, true), (another, false), (md5, true)] {
            let wanted = WantedFile(DownloadRequest(url, checksum: checksum))
            let read = ServerMetalink(document, from: link.source, at: link, of: link.source, wanted)
            #expect((read.file != nil) == isTaken)
            // The caller's counts.
            #expect(WantedFile(DownloadRequest(url, checksum: checksum), read.file).checksum == checksum)
        }
    }
}
