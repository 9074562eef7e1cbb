import Foundation
import TestSupport
import Testing

/// The server's faults are the same over TLS: the openssl program is the client that sees them.
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct TestServerTLSTests {
    private static let content = (1...40_000).map { "\($0)\n" }.joined()

    /// Asks for one target: what came, and how it ended.
    private func exchange(
        _ tls: ServerTLS = .good,
        _ bend: @escaping @Sendable (Reply) -> Reply = { $0.closing }
    ) async throws -> (body: String, errors: String, server: TestServer) {
        let server = try TestServer(tls: tls, files: ["/a": TestFile(Self.content)]) { bend($1) }
        let peer = ["-connect", "127.0.0.1:\(server.port)", "-CAfile", try TestCertificates.authority.path]
        let client = try ChildProcess(
            "/usr/bin/env",
            ["openssl", "s_client", "-quiet", "-verify_return_error", "-verify_ip", "127.0.0.1"] + peer,
            input: Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        )
        try await client.waitForExit()
        let body = client.output.range(of: "\r\n\r\n").map { String(client.output[$0.upperBound...]) }
        return (body ?? client.output, client.errors, server)
    }

    private func difference(_ found: String, from wanted: some StringProtocol) -> String? {
        TestBytes.difference(Array(found.utf8), from: Array(wanted.utf8))
    }

    @Test func aCutEndsInOrderAtItsByte() async throws {
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

    @Test(arguments: [
        (ServerTLS.Handshake.spoken(Array("SSH-2.0-x\r\n".utf8)), "wrong version number"), (.closed, "unexpected eof"),
        (.reset, "errno=104"),
    ])
    func aHandshakeFailsAsItIsMeantTo(handshake: ServerTLS.Handshake, words: String) async throws {
        let (body, errors, server) = try await exchange(ServerTLS(handshake: handshake))
        #expect(body.isEmpty && errors.contains(words), "\(errors)")
        #expect(server.requests.isEmpty && server.connectionCount == 1)
    }
}
