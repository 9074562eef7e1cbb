import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Time and abuse": servers that send without end.
@Suite struct AbuseTests {
    @Test(arguments: [Reply.Endless.fields, .fieldLine, .interim])
    func line82AHeadWithoutEndIsCapped(what: Reply.Endless) async throws {
        let server = try TestServer { _ in .endless(what) }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .badResponse && !error.isRetryable && !error.keptPartialFile, "\(error)")
        #expect(server.requests.count == 1 && test.names.isEmpty)
    }

    @Test func line82TrailersWithoutEndAreCapped() async throws {
        let server = try TestServer { _ in .endless(.trailers) }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .badResponse && !error.isRetryable, "\(error)")
        #expect(server.requests.count == 1 && !FileManager.default.fileExists(atPath: test.folder.path("f")))
    }

    @Test func line82AHeadBelowTheCapIsTaken() async throws {
        let server = try TestServer { request in
            (0..<250).reduce(Reply.file([1, 2], for: request)) { reply, number in
                reply.addingField("X-\(number)", String(repeating: "x", count: 1_000))
            }
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(try test.bytes("f") == [1, 2])
    }

    @Test(arguments: [Reply.Endless.body, .chunks])
    func line83ABodyWithoutEndStopsAtTheCallersLimit(what: Reply.Endless) async throws {
        let server = try TestServer { _ in .endless(what) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.maximumBytes = 1_000_000
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .tooLarge && !error.isRetryable && error.message.contains("1000000"))
        #expect(try test.manager.storedDownloads().allSatisfy { $0.receivedBytes <= 1_000_000 && !$0.isFinished })
        #expect(server.requests.count == 1 && !FileManager.default.fileExists(atPath: test.folder.path("f")))
    }

    @Test(arguments: [Reply.Endless.body, .chunks])
    func line83ABodyWithoutEndStopsAtTheSizeThatWasExpected(what: Reply.Endless) async throws {
        let server = try TestServer { _ in .endless(what) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.expectedBytes = 1_000_000
        let result = try await test.manager.download(request).ended()
        #expect(result.error?.code == .tooLarge, "\(result)")
        #expect(server.requests.count == 1)
    }

    @Test func line83ARangeWithoutEndStopsWhereItSaidItWould() async throws {
        let bytes = TestBytes.random(count: 300_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            guard request.visit > 1 else { return reply.cut(after: 100_000) }
            let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes 100000-299999/300000"]
            return .bytes(head, Array(bytes[100_000...]) + TestBytes.random(count: 1_000_000)).stalled(after: 1_100_000)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, "bytes=100000-"])
    }

    @Test func line84MemoryStaysBoundedWhateverComes() async throws {
        let size = 400_000_000
        let server = try TestServer { _ in .endless(.body) }
        let folder = try TemporaryFolder()
        let url = server.url("/f").absoluteString
        let process = try CrashProgram.startMeasured(["--max-size", "\(size)", url], in: folder.path)
        // As a network does that is faster than any disk: the endless body comes as fast as it is taken.
        let (exit, cost) = try await process.end()
        let peak = try #require(cost).peakBytes
        #expect(exit == .status(1) && peak < 100_000_000, "\(peak) bytes")
    }
}
