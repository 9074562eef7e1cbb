import Foundation
import Spate
import SpateTestSupport
import Testing

/// Metalinks as programs use them. How documents are read is in `MetalinksTests`.
@Suite(.takesTurns) struct MetalinkTests {
    private static let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private static func document(_ file: String) -> Data {
        Data("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(file)</metalink>".utf8)
    }

    private static func file(_ name: String, _ urls: [String], _ more: String = "") throws -> Metalink.File {
        let urls = urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }.joined()
        let metalink = try Metalink(document("<file name=\"\(name)\">\(more)\(urls)</file>"))
        return try #require(metalink.files.first)
    }

    @Test func aRequestHasTheNameTheSizeTheChecksumAndTheMirrors() throws {
        let hashes =
            "<hash type=\"md5\">900150983cd24fb0d6963f7d28e17f72</hash><hash type=\"sha-256\">\(Self.sum)</hash>"
        let file = try Self.file(
            "disks/../a.iso",
            ["https://a.example/f", "http://ann:secret@b.example/g", "ftp://c.example/h"],
            "<size>3</size>\(hashes)<signature mediatype=\"application/pgp-signature\">x</signature>"
        )
        #expect(file.name == "disks/../a.iso" && file.fileName == "a.iso" && file.size == 3 && file.isSigned)
        #expect(file.remarks == ["1 URL is not used: only http and https are"])
        let request = try #require(TestManager().manager.request(for: file))
        #expect(request.url.absoluteString == "https://a.example/f" && request.fileName == "a.iso")
        // No credentials of the document's.
        #expect(request.mirrors.map(\.absoluteString) == ["http://b.example/g"])
        #expect(try request.expectedBytes == 3 && request.checksum == Checksum(.sha256, Self.sum))
        #expect(try TestManager().manager.request(for: Self.file("a", ["ftp://a.example/f"])) == nil)
    }

    @Test(arguments: ["..", "/", ".", "a/", "\u{202E}gpj.exe"]) func anUnsafeNameIsNotTaken(name: String) throws {
        let file = try Self.file(name, ["https://a.example/dir/f.bin"])
        #expect(file.fileName == nil && file.name == name)
        #expect(try TestManager().manager.request(for: file)?.fileName == nil)
    }

    @Test(arguments: [
        ("x/a", "x/a"), ("./x/y/a.bin", "x/y/a.bin"), (".x/-a", "x/a"), ("a", nil), ("./a", nil), ("/x/a", nil),
        ("../x/a", nil), ("x/../a", nil), ("x//a", nil), ("x\\y/a", nil), ("\u{202E}x/a", nil), ("x/a.part", "x/a"),
    ])
    func foldersInItsNameAreMade(name: String, path: String?) throws {
        let file = try Self.file(name, ["https://a.example/f"])
        #expect(file.relativePath == path)
        #expect(try TestManager().manager.request(for: file)?.relativePath == path)
    }

    @Test func httpURLsOfADocumentThatCameOverHTTPSAreLeftOut() throws {
        let text = "<file name=\"a\"><url>http://a.example/f</url><url>https://b.example/f</url></file>"
        for (source, count) in [("https://c.example/m", 1), ("http://c.example/m", 2)] {
            let metalink = try Metalink(Self.document(text), from: URL(string: source))
            let file = try #require(metalink.files.first)
            #expect(file.urls.count == count)
            let remark = "1 http URL is not used: the Metalink came over https"
            #expect(file.remarks == (count == 1 ? [remark] : []))
        }
    }

    @Test func filesOfOneNameInTwoFoldersAreTwoFiles() async throws {
        let server = try TestServer { .file(Array($0.path.utf8), for: $0) }
        let test = try TestManager()
        let requests = try ["x", "y"].compactMap { folder in
            try test.manager.request(for: Self.file("\(folder)/a", [server.url("/\(folder)").absoluteString]))
        }
        for download in test.manager.download(requests) { _ = try await download.ended().get() }
        #expect(try test.bytes("x/a") == Array("/x".utf8) && test.bytes("y/a") == Array("/y".utf8))
    }

    @Test func whatIsNoMetalinkIsAnErrorWithItsLine() throws {
        for text in ["", "<html></html>", "https://example.org/a\n", "<metalink"] {
            let error = #expect(throws: DownloadError.self) { try Metalink(Data(text.utf8)) }
            #expect(error?.code == .badMetalink && error?.message.contains("in line 1") == true)
        }
    }

    /// A mirror that is gone costs nothing but its answer, and one with another file is found out by the checksum.
    @Test func theFilesAreFetchedFromWhoeverHasThem() async throws {
        let (good, gone) = (try TestServer { .file(Array("abc".utf8), for: $0) }, try TestServer { _ in .status(404) })
        let urls = [gone.url("/a"), good.url("/b")].map(\.absoluteString)
        let file = try Self.file("c", urls, "<size>3</size><hash type=\"sha-256\">\(Self.sum)</hash>")
        let test = try TestManager()
        let request = try #require(test.manager.request(for: file))
        #expect(try await test.manager.download(request).ended().get() == test.folder.url("c"))
        #expect(try test.bytes("c") == Array("abc".utf8))
    }

    /// A dynamic Metalink has its URLs in another order the next day.
    @Test(arguments: ["f", "x/y/f"]) func aFileIsFoundAgainWhateverTheOrder(name: String) async throws {
        let server = try TestServer { .file(Array("abc".utf8), etag: "\"v\"", for: $0) }
        let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
        let test = try TestManager()
        let first = try #require(try test.manager.request(for: Self.file(name, urls)))
        _ = try await test.manager.download(first).ended().get()
        let file = try Self.file(name, [urls[2], urls[1], urls[0]])
        let second = try #require(test.manager.request(for: file))
        #expect(second.url == server.url("/a") && second.mirrors.map(\.path) == ["/c", "/b"])
        _ = try await test.manager.download(second).ended().get()
        #expect(server.requests.count == 1 && test.names.count == 1)
        #expect(try test.bytes(name) == Array("abc".utf8))
    }

    @Test(arguments: ["f", "x/f"]) func aPartialFileIsContinuedWhateverTheOrder(name: String) async throws {
        let gate = try Gate()
        let bytes = TestBytes.random(count: 300_000, seed: 5)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v\"", for: request)
            return request.range == nil ? reply.gated(after: 150_000, gate) : reply
        }
        let urls = ["/a", "/b"].map { server.url($0).absoluteString }
        let test = try TestManager()
        let first = try #require(try test.manager.request(for: Self.file(name, urls)))
        let download = test.manager.download(first)
        try await eventually("bytes have come") { download.progress.receivedBytes >= 150_000 }
        download.cancel()
        try await test.filesAreClosed()
        let second = try #require(try test.manager.request(for: Self.file(name, urls.reversed())))
        #expect(second.url == server.url("/a"))
        _ = try await test.manager.download(second).ended().get()
        #expect(try test.bytes(name) == bytes && server.requests.last?.range != nil)
        gate.open()
    }
}
