import Foundation
import SpateLocking
import SpateTestSupport
import Testing

/// Secrets for one server must not go to another that a Metalink chose, in no run.
@Suite(.takesTurns) struct DocumentSecretTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let isSlow: Locked<Bool>
    private static let secrets = [
        "--header", "Authorization: Bearer t", "--header", "X-Mine: 1", "--header", "Accept: a",
    ]

    init() throws {
        let isSlow = Locked(true)
        (folder, self.isSlow) = (try TemporaryFolder(), isSlow)
        server = try TestServer { request in
            let reply = Reply.file(Array("abcdef".utf8), etag: "\"v\"", for: request)
            return isSlow.withLock { $0 } ? reply.stalled(after: 3) : reply
        }
        let hash = "<hash type='sha-256'>bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721</hash>"
        let files = ["d", "e"].map { "<file name='\($0)'>\(hash)<url>\(server.url("/\($0)"))</url></file>" }
        let text = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files.joined())</metalink>"
        try folder.write(text, to: "files.meta4")
    }

    /// The paths of the requests since the first `count`, with whether they had the secrets.
    private func requests(after count: Int) -> [String: Bool] {
        let pairs = server.requests.dropFirst(count).map { request in
            #expect(request.fields["Accept"] == "a")
            #expect((request.fields["Authorization"] == nil) == (request.fields["X-Mine"] == nil))
            return (request.path, request.fields["Authorization"] != nil)
        }
        return Dictionary(pairs) { $0 || $1 }
    }

    private func stop(_ run: SpateRun, after count: Int) async throws {
        try await server.waitForRequests(count)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        isSlow.withLock { $0 = false }
    }

    @Test(arguments: [false, true]) func resumeSendsThemOnlyToURLsThatTheUserTyped(losesQueue: Bool) async throws {
        let words = ["--timeout", "600", "-M", "files.meta4"]
        let run = try SpateRun(words + [server.url("/typed").absoluteString], in: folder)
        try await eventually("the parts of all") { try folder.files.count { $0.hasSuffix(".part") } == 3 }
        try await stop(run, after: 3)
        if losesQueue {
            for name in try folder.names where name.hasPrefix(".spate-queue-") {
                try FileManager.default.removeItem(at: folder.url(name))
            }
        }
        let count = server.requests.count
        try await folder.spate(["resume", "-q"] + Self.secrets)
        #expect(requests(after: count) == ["/d": false, "/e": false, "/typed": true])
        #expect(try folder.text("d") == "abcdef" && folder.text("typed") == "abcdef")
    }

    @Test func aFinishedFileRemembersIt() async throws {
        isSlow.withLock { $0 = false }
        try await folder.spate(["-q", "-M", "files.meta4", server.url("/typed").absoluteString])
        var count = server.requests.count
        try await folder.spate(["verify", "-q", "--online"] + Self.secrets)
        #expect(requests(after: count) == ["/d": false, "/e": false, "/typed": true])
        for words in [["verify", "--repair"], ["repair", "d"]] {
            try folder.write("xbcdef", to: "d")
            count = server.requests.count
            try await folder.spate(words + ["-q"] + Self.secrets)
            #expect(requests(after: count) == ["/d": false])
            #expect(try folder.text("d") == "abcdef")
        }
        count = server.requests.count
        // Whoever types the URL trusts its host.
        try await folder.spate(["-q", "--overwrite", server.url("/e").absoluteString] + Self.secrets)
        #expect(requests(after: count) == ["/e": true])
    }

    /// The program answers for the URL that it was asked about. The command line's headers were not meant for it.
    @Test func headersOfARefreshCommandAreSent() async throws {
        try await stop(try SpateRun(["--timeout", "600", "-M", "files.meta4"], in: folder), after: 2)
        try folder.write("#!/bin/sh\necho '{\"headers\":{\"X-Signature\":\"s\"}}'\n", to: "sign")
        #expect(chmod(folder.path("sign"), 0o755) == 0)
        let count = server.requests.count
        try await folder.spate(["resume", "-q", "--refresh-command", "./sign"] + Self.secrets)
        #expect(requests(after: count) == ["/d": false, "/e": false])
        #expect(server.requests.dropFirst(count).allSatisfy { $0.fields["X-Signature"] == "s" })
    }
}
