import Foundation
import Spate
import TestSupport
import Testing

/// Servers that send without end, and memory that stays bounded (ResumptionRules.md 82 to 84).
@Suite(.takesTurns) struct AbuseTests {
    @Test func aHeadBelowTheCapIsTaken() async throws {
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
    func aBodyWithoutEndStopsAtTheSizeThatWasExpected(what: Reply.Endless) async throws {
        let server = try TestServer { _ in .endless(what) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.expectedBytes = 1_000_000
        let result = try await test.manager.download(request).ended()
        #expect(result.error?.code == .tooLarge, "\(result)")
        #expect(server.requests.count == 1)
    }

    @Test func aRangeWithoutEndStopsWhereItSaidItWould() async throws {
        let bytes = TestBytes.random(count: 300_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            guard request.visit > 1 else { return reply.cut(after: 100_000) }
            let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes 95904-299999/300000"]
            return .bytes(head, Array(bytes[95_904...]) + TestBytes.random(count: 1_000_000)).stalled(after: 1_100_000)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
    }

    @Test func memoryStaysBoundedWhereTheDiskIsSlow() async throws {
        let (size, speed) = (400_000_000, 200_000_000)
        // The endless body comes as fast as it is taken, and the disk is slower than that.
        let server = try TestServer { _ in .endless(.body) }
        let folder = try TemporaryFolder()
        let process = try MeasuredProcess(
            BuiltProgram.path("spate"),
            ["--max-size", "\(size)", server.url("/f").absoluteString],
            through: [BuiltProgram.path("SlowDisk"), "\(speed)"],
            environment: [:],
            folder: folder.path
        )
        let (exit, found) = try await process.end()
        let cost = try #require(found)
        #expect(exit == .status(1) && cost.peakBytes < 100_000_000, "\(cost.peakBytes) bytes")
        #expect(cost.wallSeconds > 0.9 * Double(size) / Double(speed), "the disk was not slow")
    }
}
