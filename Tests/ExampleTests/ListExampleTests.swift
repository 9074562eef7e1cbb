import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

/// The examples that fetch a list and exit.
@Suite(.mostlyWaits) struct ListExampleTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func quickstartPrintsFilesAndErrors() async throws {
        let server = try await DemoURLs()
        let urls = try server.urls("not-there.txt", "cut-twice.zip", "changes-midway.tar", "busy-server.deb")
        let lines = try await ExampleRun("SpateQuickstart", urls, in: folder).lines(code: 0)
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("not-there.txt: 404 Not Found") == true)
        for name in ["cut-twice.zip", "changes-midway.tar", "busy-server.deb"] {
            #expect(lines.contains(folder.path("Downloads/Spate/\(name)")), "\(lines)")
            #expect(try DemoFile.isWhole(name, in: folder, "Downloads/Spate/\(name)"))
        }
    }

    @Test func batchPrintsAResultForEachFile() async throws {
        let server = try await DemoURLs()
        let archive = try DemoFile.named("photos.tar")
        try Data(archive.content.bytes(0..<archive.content.size)).write(to: folder.url("copy"))
        let sum = try ChildProcess("/usr/bin/sha256sum", ["copy"], folder: folder.path)
        #expect(try await sum.waitForExit() == .status(0))
        let right = try #require(sum.output.split(separator: " ").first)
        let wrong = String(repeating: "a", count: 64)
        let list = """
            # a comment, and an empty line

            \(try server.url("photos.tar")) \(right)
            \(try server.url("not-an-archive.tar")) \(wrong)  # not what the server has
            \(try server.url("reset.tar.gz"))
            \(try server.url("not-there.txt"))
            \(try server.url("refused.txt"))
            """
        try list.write(to: folder.url("list.txt"), atomically: true, encoding: .utf8)
        let lines = try await ExampleRun("SpateBatch", ["list.txt", "out"], in: folder).lines(code: 1)
        let index = { (text: String) in try #require(lines.firstIndex { $0.contains(text) }, "\(text) in \(lines)") }
        #expect(lines.last == "2 of 5 files fetched.")
        #expect(lines.contains("ok      photos.tar") && lines.contains("ok      reset.tar.gz"))
        #expect(try lines[index("/not-there.txt: ")].hasPrefix("FAILED  http://"))
        #expect(try lines[index("/not-there.txt: ") + 1] == "        Remove it from the list, or correct its URL.")
        #expect(try lines[index("/refused.txt: ") + 1] == "        Run this again later.")
        #expect(try lines[index("/not-an-archive.tar: ") + 1].contains("ask its publisher"))
        // In the order of their ends: a retried download ends after a download without a retry.
        #expect(try index("/not-there.txt: ") < index("/refused.txt: "))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() == [
                "photos.tar", "reset.tar.gz",
            ]
        )
        #expect(try DemoFile.isWhole("photos.tar", in: folder, "out/photos.tar"))
        #expect(try DemoFile.isWhole("reset.tar.gz", in: folder, "out/reset.tar.gz"))
    }

    @Test func fetchPrintsItsProgress() async throws {
        let server = try await DemoURLs()
        let urls = try server.urls("slow-line.flac", "moved.pdf", "not-there.txt")
        let lines = try await ExampleRun("SpateFetch", urls, in: folder).lines(code: 1)
        #expect(lines.last == "2 of 3 files fetched.")
        #expect(lines.contains("moved.pdf") && lines.contains("slow-line.flac"))
        #expect(lines.contains { $0.hasPrefix("  slow-line.flac: ") && $0.contains(" of 1.4 MB, ") }, "\(lines)")
        #expect(try DemoFile.isWhole("slow-line.flac", in: folder))
    }

    @Test(arguments: [
        ("SpateBatch", ["no-list", "out"]), ("SpateBatch", []), ("SpateFetch", []), ("SpateOperations", []),
        ("SpatePauseAndResume", []),
    ])
    func usageErrorsAreReported(name: String, arguments: [String]) async throws {
        let lines = try await ExampleRun(name, arguments, in: folder).lines(code: 2)
        #expect(lines.first?.hasPrefix("usage: \(name == "SpateFetch" ? "Fetch" : name) ") == true)
    }
}
