import Foundation
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import Spate

/// `Download.response`: what the server answered that a finished file came from.
@Suite(.takesTurns) struct ResponseTests {
    @Test func itHasTheFinalURLAndTheFieldsWithoutRegardToCase() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            if request.path == "/f" { return .redirect(to: "/g?id=1") }
            return Reply.file([1, 2, 3], for: request).addingField("X-Build", "7").addingField("Set-Cookie", "a=1")
                .addingField("set-cookie", "b=2, c").addingField("X-Empty", "").heldBack(by: gate)
        }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        try await gate.reached()
        #expect(download.response == nil)
        gate.open()
        _ = try await download.ended().get()
        let response = try #require(download.response)
        #expect(response.url == server.url("/g?id=1") && response.statusCode == 200)
        #expect(response["x-build"] == "7" && response["X-BUILD"] == "7" && response["x-none"] == nil)
        #expect(response["content-length"] == "3" && response["X-Empty"] == "")
        #expect(response.values(of: "SET-COOKIE") == ["a=1", "b=2, c"] && response["Set-Cookie"] == "a=1, b=2, c")
        #expect(response.headerFields.contains(.init("X-Build", "7")))
        // What is printed may end up in a log.
        let printed = "\(response) \(String(reflecting: response))"
        #expect(printed == "200 from \(server.url("/g"))?… 200 from \(server.url("/g"))?…")
    }

    @Test func itIsTheLastResponseAndTheMirrorsThatSentIt() async throws {
        let bytes = TestBytes.random(count: 300_000)
        let server = try TestServer { request in
            request.visit == 1 ? .file(bytes, etag: "\"a\"", for: request).cut(after: 100_000) : .status(404)
        }
        let mirror = try TestServer { .file(bytes, etag: "\"a\"", for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        #expect(download.response?.url == mirror.url("/g") && download.response?.statusCode == 206)
    }

    @Test func itIsThereWhileTheFileIsFetched() async throws {
        let gate = try Gate()
        let bytes = TestBytes.random(count: 300_000)
        let server = try TestServer { .file(bytes, for: $0).gated(after: 100_000, gate) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        try await gate.reached()
        try await eventually("bytes have come") { download.progress.receivedBytes > 0 }
        #expect(download.response?.statusCode == 200 && download.state == .running)
        gate.open()
        _ = try await download.ended().get()
        #expect(download.response?.url == server.url("/f"))
    }

    @Test func itHasNothingOfTheRequest() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let prepared = server.url("/prepared", authority: "ann:secret-word@localhost")
        let test = try TestManager {
            $0.prepares { request, _ in (request.url, request.headers) = (prepared, ["X-Token": "secret-word"]) }
        }
        let download = test.manager.download(server.url("/f"))
        _ = try await download.ended().get()
        let response = try #require(download.response)
        #expect(response.url.path == "/prepared" && response.url.user == nil && response.url.password == nil)
        #expect(!"\(response.url) \(response.headerFields)".contains("secret-word"))
    }

    @Test func withoutARequestThereIsNoneAndAfterAQuestionItIsTheAnswer() async throws {
        let scene = try await UpdateScene()
        let found = scene.test.manager.download(scene.url)
        #expect(found.result?.error == nil && found.response == nil)
        let update = scene.update()
        _ = try await update.ended().get()
        #expect(update.update == .unchanged && update.response?.statusCode == 304)
    }

    @Test func itIsKeptInOneBuffer() throws {
        #expect(MemoryLayout<KeptResponse?>.size == MemoryLayout<Int>.size, "a waiting download takes a word for it")
        var fields = HTTPFields()
        for line in ["Server: caf\u{E9}", "Date : x", "X-Colons: a:b", "X-Folded: a", "  b"] {
            Array(line.unicodeScalars.map { UInt8($0.value) }).withUnsafeBytes { fields.append(line: $0) }
        }
        let kept = KeptResponse(url: try HTTPURL("http://host/f"), head: ResponseHead(status: 206, fields: fields))
        let response = try #require(kept.response)
        #expect(response.url.absoluteString == "http://host/f" && response.statusCode == 206)
        #expect(response.headerFields.map(\.name) == ["Server", "X-Colons", "X-Folded"])
        #expect(response["server"] == "café" && response["x-colons"] == "a:b" && response["x-folded"] == "a b")
    }
}
