import Foundation
import SpateTestSupport
import Testing

/// What the server counts, and that each fault is on the wire what its name says.
@Suite(.takesTurns) struct TestServerTests {
    private let server: TestServer

    init() throws {
        server = try TestServer(files: ["/a": .init("0123456789")])
    }

    @Test func requestsAreNumberedByServerTargetAndConnection() throws {
        let first = try PlainClient(server)
        for target in ["/a", "/b", "/a"] {
            first.ask(target, "X-Name: value")
            _ = first.readAnswer()
        }
        let second = try PlainClient(server)
        second.ask("http://other:80/a?q")
        _ = second.readAnswer()
        #expect(server.requests.map(\.sequence) == [1, 2, 3, 4])
        #expect(server.requests.map(\.visit) == [1, 1, 2, 1])
        #expect(server.requests.map(\.connection) == [1, 1, 1, 2])
        #expect(server.requests.map(\.turn) == [1, 2, 3, 1])
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/a"])
        #expect(server.requests[0].fields["x-name"] == "value")
    }

    @Test func aClientWithTheWholeReplyIsNotCounted() throws {
        let clients = try (1...4).map { _ in try PlainClient(server) }
        for client in (1...50).flatMap({ _ in clients }) {
            client.ask("/a")
            _ = client.readAnswer()
        }
        #expect(server.requests.count == 200 && server.mostAtOnce == 1)
    }

    @Test func aRateHoldsOverAllRepliesOfAConnection() throws {
        let content = TestBytes.random(count: 100_000)
        let rates = ConnectionRates { $0 == 1 ? 400_000 : 40_000_000 }
        let server = try TestServer(files: ["/a": .init(content)]) { $1.paced(by: rates, for: $0) }
        let (slow, fast) = (try PlainClient(server), try PlainClient(server))
        let start = ContinuousClock.now
        for client in [slow, slow, fast] {
            client.ask("/a")
            #expect(TestBytes.difference(client.readAnswer().body, from: content) == nil)
        }
        // Half a second, less what a bucket saves and the last piece.
        #expect(ContinuousClock.now - start >= .milliseconds(460))
        #expect(server.requests.map(\.connection) == [1, 1, 2])
        #expect(server.requests.map(server.bytesSent) == [100_000, 100_000, 100_000])
    }

    // MARK: Faults

    private func exchange(
        _ content: [UInt8] = Array("0123456789".utf8),
        _ bend: @escaping @Sendable (Reply) -> Reply
    ) throws -> (answer: Answer, end: PlainClient.End) {
        let server = try TestServer(files: ["/a": .init(content)]) { bend($1) }
        let client = try PlainClient(server)
        client.ask("/a")
        let (bytes, end) = client.readToEnd()
        return (Answer(bytes), end)
    }

    @Test func aCutClosesInOrderAtItsByteAndAResetLetsTheBytesBeforeItArrive() throws {
        let content = TestBytes.random(count: 3_000_000)
        for end in [PlainClient.End.closed, .reset] {
            let (answer, found) = try exchange(content) {
                end == .closed ? $0.cut(after: 2_000_000) : $0.reset(after: 2_000_000)
            }
            #expect(TestBytes.difference(answer.body, from: content[..<2_000_000]) == nil)
            #expect(found == end && answer["Content-Length"] == "3000000")
        }
    }

    @Test func chunksAreCutWhereTheBodyIs() throws {
        let (answer, _) = try exchange { $0.chunked(size: 4).cut(after: 6) }
        #expect(answer["Transfer-Encoding"] == "chunked" && answer["Content-Length"] == nil)
        #expect(String(decoding: answer.body, as: UTF8.self) == "4\r\n0123\r\n4\r\n45")
        let (whole, _) = try exchange { $0.chunked(size: 4).cut(after: 10) }
        #expect(String(decoding: whole.body, as: UTF8.self) == "4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n")
    }

    @Test func fieldsAreChangedInTheOrderWritten() throws {
        let (answer, _) = try exchange {
            $0.removingField("date").replacingField("content-length", "4").addingField("B", "2")
                .replacingStatusLine("HTTP/1.1 200").closing
        }
        #expect(
            answer.head.components(separatedBy: "\r\n")
                == ["HTTP/1.1 200", "Accept-Ranges: bytes", "content-length: 4", "B: 2", "Connection: close"]
        )
        #expect(answer.body == Array("0123456789".utf8))
    }

    /// The openssl program is the client that sees them.
    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"), arguments: [false, true])
    func aCutOverTLSIsAnnouncedOrNot(isAnnounced: Bool) async throws {
        let content = (1...40_000).map { "\($0)\n" }.joined()
        let server = try TestServer(tls: .good, files: ["/a": TestFile(content)]) {
            isAnnounced ? $1.cut(after: 100_000) : $1.cutUnannounced(after: 100_000)
        }
        let peer = ["-connect", "127.0.0.1:\(server.port)", "-CAfile", try TestCertificates.authority.path]
        let client = try ChildProcess(
            "/usr/bin/env",
            ["openssl", "s_client", "-quiet", "-verify_return_error", "-verify_ip", "127.0.0.1"] + peer,
            input: Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        )
        try await client.waitForExit()
        let body = Answer(Array(client.output.utf8)).body
        #expect(TestBytes.difference(body, from: Array(content.utf8.prefix(100_000))) == nil)
        #expect(client.errors.contains("unexpected eof") != isAnnounced, "\(client.errors)")
    }
}
