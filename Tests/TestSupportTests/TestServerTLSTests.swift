import Foundation
import TestSupport
import Testing

/// What the server does over TCP it does over TLS: the openssl program is the client that tells.
@Suite(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct TestServerTLSTests {
    private static let content = (1...40_000).map { "\($0)\n" }.joined()

    /// A client that asks for one target and says what came and how it ended.
    private func client(_ server: TestServer, _ options: String...) throws -> ChildProcess {
        let peer = ["-connect", "127.0.0.1:\(server.port)", "-CAfile", try TestCertificates.authority.path]
        let rules = ["-quiet", "-verify_return_error", "-verify_ip", "127.0.0.1"]
        return try ChildProcess(
            "/usr/bin/env",
            ["openssl", "s_client"] + rules + peer + options,
            input: Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        )
    }

    private func exchange(
        _ tls: ServerTLS = .good,
        _ bend: @escaping @Sendable (Reply) -> Reply = { $0.closing }
    ) async throws -> (body: String, errors: String, server: TestServer) {
        let server = try TestServer(tls: tls, files: ["/a": TestFile(Self.content)]) { bend($1) }
        let client = try client(server)
        try await client.waitForExit()
        let body = client.output.range(of: "\r\n\r\n").map { String(client.output[$0.upperBound...]) }
        return (body ?? client.output, client.errors, server)
    }

    private func difference(_ found: String, from wanted: some StringProtocol) -> String? {
        TestBytes.difference(Array(found.utf8), from: Array(wanted.utf8))
    }

    @Test func aReplyArrivesAndEndsInOrder() async throws {
        let (body, errors, server) = try await exchange()
        #expect(difference(body, from: Self.content) == nil)
        #expect(!errors.contains("error"), "\(errors)")
        #expect(server.requests.map(\.path) == ["/a"] && server.url("/a").scheme == "https")
    }

    @Test func aCutEndsInOrderAfterSoManyBytes() async throws {
        let (body, errors, _) = try await exchange { $0.cut(after: 100_000) }
        #expect(difference(body, from: Self.content.prefix(100_000)) == nil)
        #expect(!errors.contains("error"), "\(errors)")
    }

    @Test func anUnannouncedCutHasNoCloseNotify() async throws {
        let (body, errors, _) = try await exchange { $0.cutUnannounced(after: 100_000) }
        #expect(difference(body, from: Self.content.prefix(100_000)) == nil)
        #expect(errors.contains("unexpected eof"), "\(errors)")
    }

    @Test func aResetLetsTheBytesBeforeItArrive() async throws {
        let (body, errors, _) = try await exchange { $0.reset(after: 100_000) }
        #expect(difference(body, from: Self.content.prefix(100_000)) == nil)
        #expect(errors.contains("read:errno=104"), "\(errors)")
    }

    @Test func aDripAndAGateKeepTheBytesTogether() async throws {
        let gate = try Gate()
        gate.open()
        let (body, _, _) = try await exchange {
            $0.dripped(bytes: 50_000, every: .milliseconds(1)).gated(after: 777, gate).closing
        }
        #expect(difference(body, from: Self.content) == nil)
        try await gate.reached()
    }

    @Test func aStallLastsUntilTheConnectionsAreDropped() async throws {
        let server = try TestServer(tls: .good, files: ["/a": TestFile(Self.content)]) { $1.stalled(after: 5) }
        let client = try client(server)
        try await client.waitForOutput(containing: "1\n2\n3")
        #expect(server.mostAtOnce == 1)
        server.dropConnections()
        try await client.waitForExit()
        #expect(client.errors.contains("unexpected eof"), "\(client.errors)")
    }

    @Test func aClientThatGoesEndsWhatHasNoEnd() async throws {
        let server = try TestServer(tls: .good) { _ in .endless(.body) }
        let client = try client(server)
        try await client.waitForOutput(containing: "endless")
        client.send(SIGKILL)
        server.stop()
        #expect(server.bytesSent > 0)
    }

    @Test func stoppingEndsAHandshakeThatNeverBegins() throws {
        let server = try TestServer(tls: .good) { _ in .status(200) }
        let client = try PlainClient(server)
        client.send("")
        server.stop()
        #expect(client.readToEnd().end != .nothingForAMinute)
    }

    @Test func plainTextIsNoHandshake() throws {
        let server = try TestServer(tls: .good) { _ in .status(200) }
        let client = try PlainClient(server)
        client.ask("/a")
        _ = client.readToEnd()
        #expect(server.requests.isEmpty && server.connectionCount == 1)
    }

    @Test(arguments: [
        (ServerTLS.Handshake.spoken(Array("SSH-2.0-x\r\n".utf8)), "wrong version number"), (.closed, "unexpected eof"),
        (.reset, "errno=104"),
    ])
    func aHandshakeFailsAsItIsMeantTo(handshake: ServerTLS.Handshake, words: String) async throws {
        let (body, errors, server) = try await exchange(ServerTLS(handshake: handshake))
        #expect(body.isEmpty && errors.contains(words), "\(errors)")
        #expect(server.requests.isEmpty && server.connectionCount == 1)
    }

    @Test(arguments: TestCertificate.Kind.allCases)
    func theCertificateIsTheOneAskedFor(kind: TestCertificate.Kind) async throws {
        let (body, errors, server) = try await exchange(ServerTLS(kind))
        #expect(body.isEmpty == (kind != .good) && server.requests.isEmpty == (kind != .good), "\(errors)")
    }

    @Test func theProtocolIsTheOneBothKnow() async throws {
        let server = try TestServer(tls: ServerTLS(protocols: ["http/1.1"]), files: ["/a": TestFile("here")]) {
            $1.closing
        }
        let both = try client(server, "-alpn", "h3,http/1.1")
        #expect(try await both.waitForExit() == .status(0) && both.output.hasSuffix("here"))
        let neither = try client(server, "-alpn", "h3")
        #expect(try await neither.waitForExit() != .status(0))
    }
}
