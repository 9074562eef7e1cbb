import Foundation
import TestSupport
import Testing

/// Each fault is on the wire what its name says.
@Suite(.takesTurns) struct TestServerFaultTests {
    private let content = Array("0123456789".utf8)

    private func exchange(
        _ reply: @escaping @Sendable (Reply) -> Reply
    ) throws -> (answer: Answer, end: PlainClient.End) {
        let server = try TestServer(files: ["/a": .init("0123456789")]) { reply($1) }
        let client = try PlainClient(server)
        client.ask("/a")
        let (bytes, end) = client.readToEnd()
        return (Answer(bytes), end)
    }

    @Test func aCutClosesInOrderAtItsByte() throws {
        let (answer, end) = try exchange { $0.cut(after: 4) }
        #expect(answer["Content-Length"] == "10")
        #expect(answer.body == Array("0123".utf8))
        #expect(end == .closed)
    }

    @Test func aCutIsNotAResetEvenIfTheClientSentMore() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/a": .init(content)]) { $1.gated(after: 2, gate).cut(after: 4) }
        let client = try PlainClient(server)
        client.ask("/a")
        try await gate.reached()
        client.ask("/next")
        gate.open()
        let (bytes, end) = client.readToEnd()
        #expect(Answer(bytes).body == Array("0123".utf8))
        #expect(end == .closed)
    }

    @Test func aResetLetsTheBytesBeforeItArrive() throws {
        let content = TestBytes.random(count: 3_000_000)
        let server = try TestServer(files: ["/a": .init(content)]) { $1.reset(after: 2_000_000) }
        let client = try PlainClient(server)
        client.ask("/a")
        let (bytes, end) = client.readToEnd()
        #expect(TestBytes.difference(Answer(bytes).body, from: content[..<2_000_000]) == nil)
        #expect(end == .reset)
    }

    @Test func chunksAreCutWhereTheBodyIs() throws {
        let (answer, _) = try exchange { $0.chunked(size: 4).cut(after: 6) }
        #expect(answer["Transfer-Encoding"] == "chunked")
        #expect(answer["Content-Length"] == nil)
        #expect(String(decoding: answer.body, as: UTF8.self) == "4\r\n0123\r\n4\r\n45")
        let (whole, _) = try exchange { $0.chunked(size: 4).cut(after: 10) }
        #expect(String(decoding: whole.body, as: UTF8.self) == "4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n")
    }

    @Test func fieldsAreChangedInTheOrderWritten() throws {
        let (answer, _) = try exchange {
            $0.interim([100, 103]).removingField("date").replacingField("content-length", "4").addingField("B", "2")
                .replacingStatusLine("HTTP/1.1 200").closing
        }
        #expect(answer.statusLine == "HTTP/1.1 100 Continue")
        let expected = [
            "HTTP/1.1 103 Early Hints", "", "HTTP/1.1 200", "Accept-Ranges: bytes", "content-length: 4", "B: 2",
            "Connection: close", "", "0123456789",
        ]
        #expect(String(decoding: answer.body, as: UTF8.self) == expected.joined(separator: "\r\n"))
    }

    @Test func withoutLengthTheCloseEndsTheBody() throws {
        let (answer, end) = try exchange { $0.withoutLength }
        #expect(answer["Content-Length"] == nil)
        #expect(answer.body == content)
        #expect(end == .closed)
    }

    @Test func aDripKeepsItsPace() throws {
        let start = ContinuousClock.now
        let (answer, _) = try exchange { $0.dripped(bytes: 2, every: .milliseconds(20)).closing }
        #expect(answer.body == content)
        #expect(ContinuousClock.now - start >= .milliseconds(100))
    }

    @Test(arguments: Reply.Endless.allCases)
    func theEndlessEndsWhenTheClientGoes(what: Reply.Endless) throws {
        let server = try TestServer { _ in .endless(what) }
        do {
            let client = try PlainClient(server)
            client.ask("/")
            #expect(client.read(1_000_000).count == 1_000_000)
        }
        server.stop()
        #expect(server.bytesSent > 900_000)
    }
}
