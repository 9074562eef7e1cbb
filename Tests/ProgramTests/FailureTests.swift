import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import SpateProgram

/// What failed: how it is counted, listed, tried again and forgotten.
@Suite(.takesTurns) struct FailureTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let bytes = TestBytes.random(count: 1_000)
    private let isUp = Locked(false)

    /// The server refuses all but the first half of `/part`, until it is up.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { [bytes, isUp] request in
            if isUp.withLock({ $0 }) { return .file(bytes, etag: "\"v1\"", for: request) }
            switch request.path {
            case "/part": return .file(bytes, etag: "\"v1\"", for: request).cut(after: 500)
            case "/busy": return .status(503)
            default: return .status(404)
            }
        }
    }

    private var urls: [String] { ["/gone", "/busy", "/missing", "/part"].map { server.url($0).absoluteString } }

    private func fail() async throws {
        try await folder.spate(["-q", "-j", "1", "--retries", "0"] + urls, code: 1)
    }

    private func status() async throws -> [String] {
        try await folder.spate(["status"]).child.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [["--progress", "none"], ["--json"], ["--progress", "plain"]])
    func theLastLineCountsFailuresByKind(options: [String]) async throws {
        let words = options + ["-j", "1", "--retries", "0"]
        let counts = "3 failed (2 HTTP 404, 1 HTTP 503): spate resume"
        let run = try await folder.spate(words + urls.dropLast(), code: 1)
        let last = try #require(run.errorLines.last)
        #expect(options == ["--progress", "plain"] ? last.hasSuffix(" s, \(counts)") : last == "spate: \(counts)")
        #expect(run.errorLines.count { $0.contains("failed (") } == 1)
        // One failure is its own line.
        let one = try await folder.spate(["--retries", "0", urls[0]], code: 1)
        #expect(one.errorLines.count == 1)
        let quiet = try await folder.spate(["-q", "--retries", "0"] + urls, code: 1)
        #expect(!quiet.child.errors.contains("failed ("))
    }

    @Test func withoutATerminalEachRetryIsALine() async throws {
        let words = ["--retries", "1", "-j", "1", urls[1], urls[0]]
        let run = try await folder.spate(words, code: 1)
        let line = try #require(run.errorLines.first { $0.hasPrefix("busy: ") })
        #expect(line.hasPrefix("busy: 503 Service Unavailable; try 2 of 2 "), "\(line)")
        #expect(run.errorLines.count { $0.contains("; try ") } == 1)
        // Whoever asks for silence, or reads JSON, is not told again.
        for option in ["-q", "--json", "--progress=none"] {
            let other = try await folder.spate([option] + words, code: 1)
            #expect(!other.child.errors.contains("; try "), "\(option): \(other.child.errors)")
        }
        let events = try await folder.spate(["--json"] + words, code: 1).events()
        let retries = events.filter { $0["waits"] as? String == "retry" }
        #expect(retries.count == 1 && retries[0]["try"] as? Int == 2 && retries[0]["tries"] as? Int == 2)
        #expect(events.filter { $0["try"] as? Int != nil }.count == 1)
    }

    @Test func aFailureComesToThePointAndSaysTheURLOnce() async throws {
        let missing = try await folder.spate([urls[0]], code: 1)
        #expect(missing.errorLines == ["spate: \(urls[0]): 404 Not Found"])
        let url = try DeadPort(.refusing).url("/x").absoluteString
        let refused = try await folder.spate(["--retries", "1", url], code: 1).errorLines
        #expect(refused.count == 2 && refused[0].hasPrefix("x: connection refused; try 2 of 2 "), "\(refused)")
        #expect(refused.last == "spate: \(url): Connection refused. Check that the server is running and reachable.")
    }

    @Test func statusNamesFailuresWithTheirReasons() async throws {
        try await fail()
        let lines = try await status()
        try #require(lines.count == 4)
        #expect(lines[0].hasPrefix("partial  500 B of 1 kB, 50 %  part     \(urls[3]): The connection"))
        #expect(lines[1].hasPrefix("failed   -                    gone     \(urls[0]): ") && lines[1].contains("404"))
        #expect(lines[2].contains(urls[1]) && lines[2].contains("503"))
        let events = try await folder.spate(["status", "--json"]).events()
        #expect(events.map { $0["state"] as? String } == ["partial", "failed", "failed", "failed"])
        #expect(events.map { $0["code"] as? String } == ["connectionFailed", "httpStatus", "httpStatus", "httpStatus"])
        #expect(events.map { $0["status"] as? Int } == [nil, 404, 503, 404])
        #expect(events.map { $0["retryable"] as? Bool } == [true, false, true, false])
    }

    @Test func resumeTriesAgainWhatFailed() async throws {
        try await fail()
        let asked = server.requests.count
        let again = try await folder.spate(["resume", "--retries", "0"], code: 1)
        #expect(again.errorLines.last == "spate: 4 failed (2 HTTP 404, 1 HTTP 503, 1 connection failed): spate resume")
        #expect(Set(server.requests.dropFirst(asked).map(\.path)).count == 4)
        isUp.withLock { $0 = true }
        let last = try await folder.spate(["resume"])
        #expect(last.child.errors == "")
        // Nothing is left of the failures.
        #expect(try folder.names == ["busy", "gone", "missing", "part"])
        for name in try folder.names { #expect(try folder.bytes(name) == bytes) }
        let nothing = try await folder.spate(["resume"])
        #expect(nothing.errorLines == [Notice.nothingToFinish(in: folder.path).text])
    }

    @Test func theSameCommandMakesFailuresGood() async throws {
        try await fail()
        isUp.withLock { $0 = true }
        try await folder.spate(urls)
        #expect(try folder.names == ["busy", "gone", "missing", "part"])
    }

    /// Without its checksum, anything would do.
    @Test func resumeContinuesAFailedPartWithItsOwnChecksum() async throws {
        let wrong = "md5:900150983cd24fb0d6963f7d28e17f72"
        try await folder.spate(["-q", "--retries", "0", "--checksum", wrong, urls[3]], code: 1)
        isUp.withLock { $0 = true }
        let resume = try await folder.spate(["resume", "--retries", "0"], code: 1)
        #expect(resume.child.errors.contains("900150983cd24fb0d6963f7d28e17f72"))
        #expect(try !folder.names.contains("part"))
    }

    @Test func deleteForgetsFailures() async throws {
        try await fail()
        try await folder.spate(["delete"] + urls.prefix(3))
        #expect(try await status().count == 1)
        try await folder.spate(["delete", urls[3]])
        #expect(try folder.names.isEmpty)
        let again = try await folder.spate(["delete", urls[0]], code: 1)
        #expect(again.errorLines == [Notice.nothingOf(urls[0], in: folder.path).text])
    }

    /// The failures of a running process are listed, too, and what it still does has not failed.
    @Test func twoProcessesKeepTheirOwnFailures() async throws {
        let silent = try TestServer { $0.path == "/gone" ? .status(404) : .silence }
        let own = ["/gone", "/silent"].map { silent.url($0).absoluteString }
        let running = try SpateRun(["-q", "-j", "1", "--timeout", "600"] + own, in: folder)
        try await silent.waitForRequests(2)
        try await fail()
        // A failure is written within half a second; until then the download waits.
        try await eventually("the failure is written") {
            let events = try await folder.spate(["status", "--json"]).events()
            let failed = events.filter { $0["state"] as? String == "failed" }.map { "\($0["url"] ?? "")" }
            return failed == [own[0]] + urls.dropLast()
        }
        running.child.send(SIGKILL)
        try await running.child.waitForExit()
        isUp.withLock { $0 = true }
        let resume = try SpateRun(["resume", "-q", "--timeout", "600"], in: folder)
        try await silent.waitForRequests(4)
        #expect(silent.requests.suffix(2).map(\.path).sorted() == ["/gone", "/silent"])
        resume.child.send(SIGKILL)
        try await resume.child.waitForExit()
    }
}
