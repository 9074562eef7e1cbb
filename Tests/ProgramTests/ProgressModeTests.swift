import Foundation
import TestSupport
import Testing

/// `--progress` and `--log`.
@Suite(.takesTurns) struct ProgressModeTests {
    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        let file = TestFile(TestBytes.random(count: 40_000))
        server = try TestServer(files: ["/a.bin": file, "/b.bin": file]) { request, reply in
            request.path == "/b.bin" && request.visit == 1 ? .status(503, body: "") : reply
        }
    }

    private var urls: [String] { ["/a.bin", "/b.bin", "/none"].map { server.url($0).absoluteString } }

    @Test func plainProgressNeedsNoTerminal() async throws {
        let run = try SpateRun(["--progress", "plain", "-j", "1"] + urls, in: folder)
        #expect(try await run.exitCode() == 1)
        #expect(run.child.output == "")
        let lines = run.errorLines
        #expect(lines.count == 5, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("a.bin: 40 kB in ") })
        #expect(lines.contains { $0.hasPrefix("b.bin: again in ") })
        #expect(lines.contains { $0.hasPrefix("b.bin: 40 kB in ") })
        #expect(lines.contains { $0.hasPrefix("spate: \(urls[2]): ") })
        #expect(lines.last?.wholeMatch(of: /2 files, 80 kB in .*, 1 failed/) != nil)
    }

    @Test func theLogHasEveryEventAndIsContinued() async throws {
        for url in urls.prefix(2) {
            let run = try SpateRun(["--log", "events.log", "--json", url], in: folder)
            #expect(try await run.exitCode() == 0)
            let log = String(decoding: try folder.bytes("events.log"), as: UTF8.self)
            let times = /"time":"[^"]*"/
            #expect(log.replacing(times, with: "").hasSuffix(run.child.output.replacing(times, with: "")))
        }
        let lines = try String(contentsOf: folder.url("events.log"), encoding: .utf8).split(separator: "\n")
        let ends = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0?["state"] as? String == "finished" }
        #expect(ends.map { $0?["url"] as? String } == Array(urls.prefix(2)))
    }

    @Test func aLogOnAFullDiskIsReportedOnceAndTheRunGoesOn() async throws {
        let run = try SpateRun(["--log", "/dev/full"] + urls.prefix(2), in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(
            run.errorLines == ["spate: can't write --log /dev/full: No space left on device. The rest is not logged."]
        )
        #expect(try folder.names == ["a.bin", "b.bin"])
    }

    @Test func aBarNeedsATerminal() async throws {
        let run = try SpateRun(["--progress", "bar", urls[0]], in: folder)
        #expect(try await run.exitCode() == 2)
        #expect(run.errorLines.first?.contains("--progress plain") == true)
        #expect(server.requests.isEmpty)
    }
}
