import Foundation
import SpateTestSupport
import Testing

/// `--refresh-command`.
@Suite(.takesTurns) struct RefreshCommandTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 300_000)

    init() throws { folder = try TemporaryFolder() }

    /// A server that wants the signature 2, which a script gives. The script keeps what it reads.
    private func signing(_ more: String = "") throws -> (server: TestServer, url: String) {
        let server = try TestServer { [bytes] request in
            let isFresh = request.target.hasSuffix("sig=2") && request.fields["X-Token"] == "secret"
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return isFresh || request.path == "/open" ? reply : .status(403)
        }
        let answer = #"{"url": "\#(server.url("/f?sig=2"))", "headers": {"x-token": "secret"}, "other": 1}"#
        try folder.script("sign", "cat >> asked\n\(more)\necho '\(answer)'")
        return (server, server.url("/f?sig=1").absoluteString)
    }

    @Test func eachAttemptGetsItsURLAndHeadersFromTheProgram() async throws {
        let (server, url) = try signing()
        let run = try await folder.spate(["--refresh-command", "./sign", "--header", "X-Token: old", url])
        #expect(run.child.errors == "")
        #expect(server.requests.map(\.target) == ["/f?sig=2"] && server.requests[0].fields["X-Token"] == "secret")
        #expect(try folder.bytes("f") == bytes)
        let asked = try folder.objects("asked")
        #expect(asked.count == 1 && asked[0]["url"] as? String == url && asked[0]["attempt"] as? Int == 1)
        #expect(asked[0]["reason"] is NSNull)
        // The listed URL stays the name of the download, and the secret is nowhere.
        let status = try await folder.spate(["status", "--json"])
        #expect(status.child.output.contains("sig=1") && !status.child.output.contains("sig=2"))
    }

    @Test func onRetryTheListedURLIsUsedFirstAndTheProgramHearsOfTheRefusal() async throws {
        let (server, url) = try signing()
        let open = server.url("/open").absoluteString
        let words = ["--refresh-command", "./sign", "--refresh-on-retry", "--retries", "0", open, url]
        try await folder.spate(words)
        #expect(Set(server.requests.map(\.target)) == ["/open", "/f?sig=1", "/f?sig=2"])
        let asked = try folder.objects("asked")
        let reason = try #require(asked.first?["reason"] as? [String: Any])
        #expect(asked.count == 1 && asked[0]["attempt"] as? Int == 2)
        #expect(reason["status"] as? Int == 403 && reason["code"] as? String == "httpStatus")
        #expect(reason["retryable"] as? Bool == false && (reason["error"] as? String)?.contains("403") == true)
    }

    @Test func aNameIsSearchedInPATHAndItsOutputOnStandardErrorIsShown() async throws {
        let (server, url) = try signing(#"printf 'one\033[2Jtwo\r\n\nhalf' >&2"#)
        let path = ["PATH": "/nowhere:\(folder.path):/usr/bin:/bin"]
        let run = try await folder.spate(["--refresh-command", "sign", "--json", url], environment: path)
        #expect(run.errorLines == ["spate: sign: one [2Jtwo", "spate: sign: half"])
        #expect(try run.events().last?["state"] as? String == "finished" && server.requests.count == 1)
    }

    @Test(arguments: [
        ("exit 3", "./sign ended with status 3"), ("kill -9 $$", "./sign was ended by signal 9 (Killed)"),
        ("", "the answer of ./sign is empty; to change nothing, print {}"),
        ("echo '[]'", "the answer of ./sign is not one JSON object"),
        ("echo '{} {}'", "the answer of ./sign is not one JSON object"),
        (#"echo '{"url": 1}'"#, "has a url that is not a string with an http or https URL"),
        (#"echo '{"url": "ftp://secret/"}'"#, "has a url that is not a string with an http or https URL"),
        (#"echo '{"headers": {"A": 1, "B": "secret"}}'"#, "has headers that are not an object of strings"),
        (#"echo '{"headers": {"Range": "secret"}}'"#, "has a header that can't be sent"),
        (#"printf %s '{"headers": {"A": "secret\nB: 1"}}'"#, "has a header that can't be sent"),
        ("head -c 70000 /dev/zero; echo secret", "./sign printed more than 65536 bytes"),
    ])
    func aProgramThatFailsFailsTheAttemptAndIsNamed(script: String, says: String) async throws {
        let server = try TestServer { _ in .status(500) }
        try folder.script("sign", "cat > /dev/null\n\(script)")
        let url = server.url("/f").absoluteString
        let run = try await folder.spate(["--retries", "0", "--refresh-command", "./sign", url], code: 1)
        let start = "spate: \(url): The request could not be prepared ("
        #expect(run.errorLines.count == 1 && run.child.errors.hasPrefix(start), "\(run.child.errors)")
        #expect(run.child.errors.contains(says) && !run.child.errors.contains("secret"), "\(run.child.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test func aScriptWithoutAnInterpreterIsNotRunByAShell() async throws {
        try folder.write("echo '{}'", to: "sign")
        chmod(folder.path("sign"), 0o755)
        let words = ["--retries", "0", "--refresh-command", "./sign", "http://127.0.0.1:1/f"]
        let said = try await folder.spate(words, code: 1).child.errors
        #expect(said.contains("./sign can't be run: a script needs the name of its interpreter"), "\(said)")
    }

    @Test func headersStayWithTheirServerAndCredentialsOfTheListWithTheURL() async throws {
        let other = try TestServer { [bytes] in .file(bytes, for: $0) }
        let target = other.url("/f", authority: "localhost").absoluteString
        let server = try TestServer { _ in .redirect(to: target) }
        try folder.script("token", #"cat > asked; echo '{"url": null, "headers": {"X-Plain": "secret"}}'"#)
        let url = server.url("/f", authority: "me:pass@127.0.0.1").absoluteString
        try await folder.spate(["--refresh-command", folder.path("token"), url])
        #expect(try folder.objects("asked").first?["url"] as? String == url)
        #expect(server.requests[0].fields["X-Plain"] == "secret" && server.requests[0].fields["Authorization"] != nil)
        #expect(other.requests[0].fields["X-Plain"] == nil && other.requests[0].fields["Authorization"] == nil)
    }

    @Test func resumeAsksForTheRestToo() async throws {
        let (server, url) = try signing()
        let gate = try Gate()
        let halting = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0).gated(after: 100_000, gate) }
        let answer = #"{"url": "\#(halting.url("/f"))"}"#
        try folder.script("halt", "echo '\(answer)'")
        let run = try SpateRun(["--timeout", "600", "--refresh-command", "./halt", url], in: folder)
        try await gate.reached()
        try await eventually("a part is on disk") { (try? folder.bytes("f.part").count) ?? 0 >= 100_000 }
        run.child.send(SIGINT)
        #expect(try await run.exitCode() == 130)
        #expect(
            run.child.errors.contains("to continue: spate resume --refresh-command ./halt\n"),
            "\(run.child.errors)"
        )
        try await folder.spate(["resume", "--refresh-command", "./sign"])
        #expect(try folder.bytes("f") == bytes && server.requests.map(\.target) == ["/f?sig=2"])
        #expect(server.requests[0].range != nil)
    }

    @Test func onlyEightRunAtOnce() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let script = """
            cat > /dev/null; mkdir -p running; touch running/$$; ls running | wc -l >> counts
            sleep 0.1; rm running/$$; echo '{}'
            """
        try folder.script("slow", script)
        let urls = (0..<40).map { server.url("/\($0)").absoluteString }
        try await folder.spate(["-j", "40", "-d", "out", "--refresh-command", "./slow"] + urls)
        let counts = try folder.text("counts").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        #expect(counts.count == 40 && counts.max() ?? 0 <= 8)
        #expect(try folder.names(in: "out").count == 40)
    }
}
