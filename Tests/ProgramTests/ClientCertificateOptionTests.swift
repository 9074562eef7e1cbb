import Foundation
import SpateTestSupport
import Testing

/// `--cert` and `--key`.
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct ClientCertificateOptionTests {
    private let folder: TemporaryFolder
    private let client: TestClient
    private let trust: [String]
    private let given: [String]

    init() throws {
        folder = try TemporaryFolder()
        client = try TestCertificates.client
        trust = ["--cacert", try TestCertificates.authority.path]
        given = trust + ["--cert", client.certificate.path, "--key", client.key.path]
    }

    private func server(
        bending bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws -> TestServer {
        let bytes = TestBytes.random(count: 300_000)
        return try TestServer(tls: ServerTLS(clients: .demanded)) { bend($0, .file(bytes, etag: "\"v1\"", for: $0)) }
    }

    @Test func theServersOfAllGivenURLsGetIt() async throws {
        let (one, other) = (try server(), try server())
        try folder.write("\(other.url("/b"))\n", to: "list")
        try await folder.spate(given + ["-i", "list", one.url("/a").absoluteString])
        #expect((one.requests + other.requests).map(\.client) == [TestClient.subject, TestClient.subject])
        #expect(try folder.files == ["a", "b", "list"])
    }

    @Test func aStoppedRunIsResumedWithIt() async throws {
        let server = try server { request, reply in request.visit == 1 ? reply.stalled(after: 100_000) : reply }
        let run = try SpateRun(given + [server.url("/f").absoluteString], in: folder)
        try await eventually("a part is on disk") { (try? folder.bytes("f.part").count) ?? 0 >= 100_000 }
        run.child.send(SIGINT)
        #expect(try await run.exitCode() == 130)
        let command = "spate resume \(given.joined(separator: " "))"
        #expect(run.child.errors.contains("to continue: \(command)\n"), "\(run.child.errors)")
        // No file names it.
        let without = try await folder.spate(["resume"] + trust, code: 1)
        #expect(without.child.errors.contains("asks for a client certificate"), "\(without.child.errors)")
        try await folder.spate(["resume"] + given)
        #expect(server.requests.map { $0.range != nil } == [false, true])
        #expect(server.requests.allSatisfy { $0.client == TestClient.subject })
    }

    @Test func aRefreshedURLOfAnotherServerDoesNotGetIt() async throws {
        let other = try TestServer(tls: ServerTLS(clients: .asked)) { .file([1], for: $0) }
        let server = try server()
        try folder.script("sign", "cat > /dev/null; echo '{\"url\": \"\(other.url("/signed"))\"}'")
        try await folder.spate(given + ["--refresh-command", "./sign", server.url("/f").absoluteString])
        #expect(server.requests.isEmpty && other.requests.map(\.client) == [nil])
    }

    @Test func verifyShowsItToo() async throws {
        let server = try server { request, reply in
            request.ifNoneMatch == nil ? reply : .status(304, fields: ["ETag": "\"v1\""])
        }
        try await folder.spate(given + [server.url("/f").absoluteString])
        try await folder.spate(["verify", "--online"] + given)
        #expect(server.requests.map(\.ifNoneMatch) == [nil, "\"v1\""])
        try await folder.spate(["verify", "--online"] + trust, code: 1)
    }

    @Test func nobodyIsAskedForAPassphrase() async throws {
        let server = try server()
        let words = trust + ["--cert", client.certificate.path, "--key", client.lockedKey.path]
        let run = try await folder.spate(words + [server.url("/f").absoluteString], input: "hidden-word\n", code: 1)
        #expect(run.child.errors.contains("passphrase") && !run.child.errors.contains("Enter"), "\(run.child.errors)")
        #expect(server.connectionCount == 0)
    }

    @Test func aPasswordAfterTheFileIsNotRepeated() async throws {
        let words = ["--cert", "\(client.certificate.path):hidden-word", "https://host.test/f"]
        let said = try await folder.spate(words, code: 2).child.errors
        #expect(said.contains(client.certificate.path) && !said.contains("hidden-word"), "\(said)")
    }
}
