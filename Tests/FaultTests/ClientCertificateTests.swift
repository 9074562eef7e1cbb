import Foundation
import Spate
import SpateTestSupport
import Testing

/// Which servers are shown the certificate of a request (ResumptionRules.md 52).
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct ClientCertificateTests {
    private static let asking = ServerTLS(clients: .asked)
    private static let demanding = ServerTLS(clients: .demanded)
    private let client: TestClient
    private let authority: URL

    init() throws {
        (client, authority) = (try TestCertificates.client, try TestCertificates.authority)
    }

    private var certificate: ClientCertificate { ClientCertificate(file: client.certificate, key: client.key) }

    private func manager(
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws -> TestManager {
        try TestManager {
            $0.certificateAuthorities = authority
            change(&$0)
        }
    }

    @Test(arguments: [false, true]) func theServerThatDemandsACertificateGetsIt(isOneFile: Bool) async throws {
        let story = try FaultStory(tls: Self.demanding) { $1 }
        let given = isOneFile ? ClientCertificate(file: client.both) : certificate
        try await story.publishes(asking: [nil]) { $0.clientCertificate = given }
        #expect(story.server.requests.map(\.client) == [TestClient.subject])
    }

    @Test func severalConnectionsAndRetriesShowIt() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let gate = try Gate()
        let server = try TestServer(tls: Self.demanding) { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            if request.visit == 1 { return .status(503) }
            if request.visit > 2 { gate.open() }
            return request.visit > 2 ? reply : reply.gated(after: 200_000, gate)
        }
        let test = try manager { $0.retry.firstDelay = .milliseconds(1) }
        var request = DownloadRequest(server.url("/f"))
        (request.clientCertificate, request.connections) = (certificate, .exactly(2))
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == bytes && server.connectionCount >= 2)
        #expect(server.requests.count >= 3 && server.requests.allSatisfy { $0.client == TestClient.subject })
    }

    @Test func neitherARedirectNorAMirrorOfAnotherOriginGetsIt() async throws {
        let other = try TestServer(tls: Self.asking) { .file([1], for: $0) }
        let server = try TestServer(tls: Self.asking) { request in
            switch request.path {
            case "/f": .redirect(to: "/g")
            case "/g": .redirect(to: other.url("/h").absoluteString)
            default: .status(404)
            }
        }
        let test = try manager()
        var request = DownloadRequest(server.url("/f"))
        request.clientCertificate = certificate
        _ = try await test.manager.download(request).ended().get()
        request.url = server.url("/none")
        request.mirrors = [other.url("/k")]
        _ = try await test.manager.download(request).ended().get()
        #expect(server.requests.map(\.client) == Array(repeating: TestClient.subject, count: 3))
        #expect(other.requests.map(\.path) == ["/h", "/k"] && other.requests.allSatisfy { $0.client == nil })
    }

    @Test func aMirrorOfTheSameOriginGetsIt() async throws {
        let server = try TestServer(tls: Self.demanding) { $0.path == "/f" ? .status(404) : .file([1], for: $0) }
        let test = try manager()
        var request = DownloadRequest(server.url("/f"))
        (request.clientCertificate, request.mirrors) = (certificate, [server.url("/g")])
        _ = try await test.manager.download(request).ended().get()
        #expect(server.requests.map(\.client) == [TestClient.subject, TestClient.subject])
    }

    @Test func aPreparedURLGetsItOnlyAtTheSameOrigin() async throws {
        let other = try TestServer(tls: Self.asking) { .file([1], for: $0) }
        let server = try TestServer(tls: Self.demanding) { .file([1], for: $0) }
        let targets = ["/f": server.url("/signed"), "/g": other.url("/signed")]
        let foreign = ClientCertificate(file: client.foreignCertificate, key: client.foreignKey)
        let test = try manager {
            $0.prepare = { request, _ in
                var request = request
                request.url = targets[request.url.path] ?? request.url
                // As any change but URL and headers, it is ignored.
                request.clientCertificate = foreign
                return request
            }
        }
        for path in ["/f", "/g"] {
            var request = DownloadRequest(server.url(path))
            request.clientCertificate = certificate
            _ = try await test.manager.download(request).ended().get()
        }
        #expect(server.requests.map(\.client) == [TestClient.subject])
        #expect(other.requests.map(\.client) == [nil])
    }

    @Test func aRequestWithoutItUsesNeitherItsConnectionNorItsSession() async throws {
        let server = try TestServer(tls: Self.asking) { .file([1], for: $0) }
        let test = try manager()
        for (path, given) in [("/a", certificate), ("/b", nil), ("/c", certificate), ("/d", nil)] {
            var request = DownloadRequest(server.url(path))
            request.clientCertificate = given
            _ = try await test.manager.download(request).ended().get()
        }
        #expect(server.requests.map { $0.client != nil } == [true, false, true, false])
        let kinds = Dictionary(grouping: server.requests, by: \.connection).values.map { Set($0.map(\.client)) }
        #expect(kinds.allSatisfy { $0.count == 1 })
    }

    @Test func aLaterProcessNeedsItAgain() async throws {
        let held = FaultStory.held
        let server = try TestServer(tls: Self.asking) { request in
            let reply = Reply.file(FaultStory.file, for: request)
            if request.client == nil { return .status(403) }
            return request.visit == 1 ? reply.stalled(after: held) : reply
        }
        let folder = try TemporaryFolder()
        func test() throws -> TestManager {
            try TestManager(folder: folder) { ($0.certificateAuthorities, $0.keepsQueue) = (authority, true) }
        }
        var request = DownloadRequest(server.url("/f"))
        request.clientCertificate = certificate
        do {
            let first = try test()
            let received = Recorder<Int64>()
            let download = first.manager.download(request, progress: { received.append($0.receivedBytes) })
            try await received.wait(until: { $0.last == Int64(held) })
            download.cancel()
            _ = try await download.ended()
            try await first.filesAreClosed()
        }
        let second = try test()
        let restored = try #require(second.manager.restore().first)
        #expect(try await restored.ended().error?.statusCode == 403)
        #expect(try await second.manager.download(request).ended().get().lastPathComponent == "f")
        #expect(server.requests.map { $0.client != nil } == [true, false, true])
        #expect(server.requests.map(\.range) == [nil, .rest, .rest])
    }

    @Test func anHTTPURLIsFetchedWithoutAnyLookAtIt() async throws {
        let story = try FaultStory { $1 }
        let missing = ClientCertificate(file: URL(fileURLWithPath: "/nowhere/client.pem"))
        try await story.publishes(asking: [nil]) { $0.clientCertificate = missing }
    }

    // MARK: What cannot be used

    @Test func filesThatCannotBeUsedAreNamedBeforeAnythingIsSent() async throws {
        let folder = try TemporaryFolder()
        try Data("no certificate\n".utf8).write(to: folder.url("text.pem"))
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let missing = folder.url("missing.pem")
        let cases: [(ClientCertificate, [String])] = [
            (ClientCertificate(file: missing), [missing.path, "No such file"]),
            (ClientCertificate(file: folder.url("text.pem")), ["text.pem", "PEM"]),
            (ClientCertificate(file: folder.url("pipe")), ["pipe", "no regular file"]),
            (ClientCertificate(file: folder.url), [folder.url.path, "no regular file"]),
            (ClientCertificate(file: client.certificate), ["client.pem", "no private key"]),
            (ClientCertificate(file: client.certificate, key: missing), [missing.path, "private key", "No such file"]),
            (ClientCertificate(file: client.certificate, key: client.certificate), ["client.pem", "private key"]),
            (ClientCertificate(file: client.certificate, key: client.lockedKey), ["locked.key", "passphrase"]),
            (
                ClientCertificate(file: client.certificate, key: client.keyLockedAsBefore),
                ["locked-before.key", "passphrase"]
            ),
        ]
        for (given, words) in cases {
            let story = try FaultStory(tls: Self.demanding) { $1 }
            let error = try await story.fails(.tls, keeping: 0, asking: []) { $0.clientCertificate = given }
            #expect(words.allSatisfy { error.message.contains($0) }, "\(error.message)")
            #expect(story.server.connectionCount == 0 && !error.isRetryable, "\(error.message)")
        }
    }

    @Test func aKeyOfAnotherCertificateIsRefusedAtOnce() async throws {
        let story = try FaultStory(tls: Self.demanding) { $1 }
        let other = ClientCertificate(file: client.certificate, key: client.foreignKey)
        let error = try await story.fails(.tls, keeping: 0, asking: []) { $0.clientCertificate = other }
        #expect(error.message.contains("belong together"), "\(error.message)")
        // The client knows before the server has accepted its connection.
        try await eventually("the server has one connection") { story.server.connectionCount == 1 }
    }

    @Test func aCertificateMustBeOnThisMachine() throws {
        var request = DownloadRequest(try #require(URL(string: "https://host.test/f")))
        let far = try #require(URL(string: "https://ann:hidden-word@host.test/client.pem"))
        for given in [ClientCertificate(file: far), ClientCertificate(file: client.both, key: far)] {
            request.clientCertificate = given
            let error = #expect(throws: DownloadError.self) { try request.check() }
            #expect(error?.code == .tls && error?.message.contains("hidden-word") == false)
        }
    }

    @Test func aServerThatRefusesTheClientIsNotAskedAgain() async throws {
        let foreign = ClientCertificate(file: client.foreignCertificate, key: client.foreignKey)
        for (given, words) in [(nil, "asks for a client certificate"), (foreign, "does not accept")] {
            let story = try FaultStory(tls: Self.demanding) { $1 }
            let error = try await story.fails(.tls, keeping: 0, asking: []) { $0.clientCertificate = given }
            #expect(error.message.contains(words), "\(error.message)")
            #expect(story.server.connectionCount == 1)
        }
    }
}
