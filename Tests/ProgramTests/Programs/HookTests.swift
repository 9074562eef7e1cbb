import Foundation
import SpateTestSupport
import Testing

/// `--on-finish` and `--on-failure`.
@Suite(.takesTurns) struct HookTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func server() throws -> TestServer {
        try TestServer(files: ["/a": TestFile("content"), "/b": TestFile("b"), "/c": TestFile("c")])
    }

    @Test func hooksReadTheLineAboutTheEnd() async throws {
        let server = try server()
        for name in ["finish", "failure"] { try folder.script(name, "cat >> \(name).jsonl") }
        let hooks = ["--on-finish", "./finish", "--on-failure", "./failure"]
        let (a, none) = (server.url("/a").absoluteString, server.url("/none").absoluteString)
        let run = try await folder.spate(hooks + ["--json", a, none], code: 1)
        let (finished, failed) = (try folder.objects("finish.jsonl"), try folder.objects("failure.jsonl"))
        #expect(finished.count == 1 && failed.count == 1)
        #expect(finished[0]["url"] as? String == a && finished[0]["file"] as? String == folder.path("a"))
        #expect(finished[0]["received"] as? Int == 7 && finished[0]["seconds"] is Double)
        #expect(failed[0]["url"] as? String == none && failed[0]["status"] as? Int == 404)
        // All keys of --json, with the same values.
        for line in try run.events() where ["finished", "failed"].contains(line["state"] as? String) {
            let other = line["state"] as? String == "finished" ? finished[0] : failed[0]
            #expect(Set(line.keys).union(["seconds"]) == Set(other.keys))
            for key in ["event", "url", "state", "received", "total", "file", "error", "code", "status", "retryable"] {
                #expect("\(line[key] ?? "")" == "\(other[key] ?? "")", "\(key)")
            }
        }
        // A file that was there before has its hook, too.
        try await folder.spate(hooks + [a])
        let again = try folder.objects("finish.jsonl")
        #expect(again.count == 2 && again[1]["seconds"] is NSNull)
    }

    @Test func hooksRunOneAtATimeInTheOrderOfTheEndsAndBeforeTheExit() async throws {
        let server = try server()
        let script = """
            mkdir running || exit 9
            jq -r .file >> order; sleep 0.1
            rmdir running
            """
        try folder.script("slow", script)
        let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
        let run = try await folder.spate(["-d", "out", "--json", "--on-finish", "./slow"] + urls)
        #expect(run.child.errors == "")
        let ends = try run.events().compactMap { $0["file"] as? String }
        #expect(try folder.text("order").split(separator: "\n").map(String.init) == ends && ends.count == 3)
    }

    @Test func aSlowHookDoesNotHoldDownloadsUp() async throws {
        let server = try server()
        try folder.script("wait", "cat > /dev/null; while [ ! -e c ]; do sleep 0.02; done")
        let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
        try await folder.spate(["-j", "1", "--on-finish", "./wait"] + urls)
        #expect(try folder.bytes("c") == Array("c".utf8))
    }

    @Test func aFailingHookIsToldAndCountedAndTheExitCodeIsThatOfTheDownloads() async throws {
        let server = try server()
        try folder.script("bad", "echo out; echo err >&2; exit 4")
        let urls = ["/a", "/b"].map { server.url($0).absoluteString }
        let run = try await folder.spate(["-j", "1", "-q", "--on-finish", "./bad"] + urls)
        let each = urls.flatMap {
            ["spate: ./bad: out", "spate: ./bad: err", "spate: note: \($0): ./bad ended with status 4."]
        }
        // In the order of the ends.
        let isFirst = run.errorLines.dropFirst(2).first == each[2]
        let ordered = isFirst ? each : Array(each[3...] + each[..<3])
        #expect(run.errorLines == ordered + ["spate: note: 2 runs of --on-finish or --on-failure failed."])
        #expect(run.child.output == "")
    }

    @Test func aFloodOfOutputIsCut() async throws {
        let server = try server()
        try folder.script("flood", "head -c 3000000 /dev/zero | tr '\\0' x; yes | head -n 100000")
        let run = try await folder.spate(["--on-finish", "./flood", server.url("/a").absoluteString])
        let lines = run.errorLines
        #expect(lines.count == 2 && lines[1] == "spate: ./flood: (the rest of its output is not shown)")
        #expect(lines[0].count < 1_100)
    }

    @Test(.mostlyWaits) func itIsSaidWhatTheRunWaitsFor() async throws {
        let server = try server()
        try folder.script("long", "cat > /dev/null; exec 3<>go; read -r line <&3")
        guard mkfifo(folder.path("go"), 0o600) == 0 else { throw SystemError("mkfifo") }
        let run = try SpateRun(["--on-finish", "./long", server.url("/a").absoluteString], in: folder)
        let note = "spate: note: All downloads have ended. Waiting for 1 run of --on-finish or --on-failure.\n"
        try await run.child.waitForOutput(containing: note)
        try folder.write("\n", to: "go")
        #expect(try await run.exitCode() == 0)
        #expect(run.child.errors == note)
    }

    @Test func ctrlCDropsTheWaitingOnesWithAWord() async throws {
        let server = try server()
        try folder.script("hang", "echo $$ > pid; sleep 600")
        let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
        let run = try SpateRun(["-d", "out", "--on-finish", "./hang"] + urls, in: folder)
        let pid = try await folder.processID(in: "pid")
        try await eventually("all files") { (try? folder.names(in: "out")) == ["a", "b", "c"] }
        // The ends may not have been noted yet, so ask until they were.
        try await eventually("the end of the downloads") { server.requests.count == 3 }
        run.child.send(SIGINT)
        #expect(try await run.exitCode() == 130)
        try await folder.waitForEnd(of: pid)
        #expect(run.child.errors.contains("./hang was stopped."), "\(run.child.errors)")
        #expect(run.child.errors.contains(" did not begin. Their downloads have ended."), "\(run.child.errors)")
    }

    @Test func resumeRunsHooks() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2], for: $0).heldBack(by: gate) }
        try folder.script("finish", "cat >> finish.jsonl")
        let url = server.url("/a").absoluteString
        let run = try SpateRun(["--timeout", "600", url], in: folder)
        try await server.waitForRequests(1)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        gate.open()
        try await folder.spate(["resume", "--on-finish", "./finish"])
        #expect(try folder.objects("finish.jsonl").first?["url"] as? String == url)
    }
}
