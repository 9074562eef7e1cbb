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
        let run = try await folder.spate(["--progress", "plain", "-j", "1"] + urls, code: 1)
        #expect(run.child.output == "")
        let lines = run.errorLines
        let starts = ["a.bin: 40 kB in ", "b.bin: again in ", "b.bin: 40 kB in ", "spate: \(urls[2]): "]
        for start in starts { #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)") }
        #expect(lines.count == 5, "\(lines)")
        #expect(lines.last?.wholeMatch(of: /2 files, 80 kB in .*, 1 failed/) != nil)
    }

    @Test func theLogHasEveryEventAndIsContinued() async throws {
        for url in urls.prefix(2) {
            let run = try await folder.spate(["--log", "events.log", "--json", url])
            let times = /"time":"[^"]*"/
            let log = try folder.text("events.log").replacing(times, with: "")
            #expect(log.hasSuffix(run.child.output.replacing(times, with: "")))
        }
        let lines = try folder.text("events.log").split(separator: "\n")
        let ends = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0?["state"] as? String == "finished" }
        #expect(ends.map { $0?["url"] as? String } == Array(urls.prefix(2)))
    }

    @Test func aLogOnAFullDiskIsReportedOnceAndTheRunGoesOn() async throws {
        let run = try await folder.spate(["--log", "/dev/full"] + urls.prefix(2))
        #expect(
            run.errorLines == ["spate: can't write --log /dev/full: No space left on device. The rest is not logged."]
        )
        #expect(try folder.names == ["a.bin", "b.bin"])
    }
}
