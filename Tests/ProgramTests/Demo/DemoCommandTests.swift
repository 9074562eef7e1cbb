import Foundation
import TestSupport
import Testing

@testable import SpateProgram

@Suite(.mostlyWaits) struct DemoCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func demo(_ additions: [String: String] = [:]) throws -> SpateRun {
        try SpateRun(["demo"], in: folder, environment: ["TMPDIR": folder.path].merging(additions) { $1 })
    }

    @Test func everyClaimIsProvenAndNothingIsLeftBehind() async throws {
        // The demo must not use a proxy.
        let run = try demo(["http_proxy": "http://127.0.0.1:1"])
        #expect(try await run.exitCode() == 0, "\(run.child.output)")
        let lines = run.child.output.split(separator: "\n").map(String.init)
        #expect(lines.count { $0.hasPrefix("✓ ") } == DemoFile.all.count + 4)
        #expect(!lines.contains { $0.hasPrefix("✗") })
        for file in DemoFile.all {
            #expect(lines.contains { $0.hasPrefix("✓ \(file.name) ") }, "\(file.name)")
        }
        #expect(lines.last?.hasPrefix("All 16 claims proven in ") == true)
        #expect(try folder.names == [])
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func aSignalStopsTheDemoAndDeletesItsFolder(signal: Int32, code: Int32) async throws {
        let run = try demo()
        run.child.send(signal, onceSaid: "three at a time:")
        #expect(try await run.exitCode() == code)
        #expect(!run.child.output.contains("proven"))
        #expect(try folder.names == [])
    }

    @Test func aSignalBeforeTheKillStopsTheDemoToo() async throws {
        let run = try demo()
        run.child.send(SIGINT, onceSaid: "is killed halfway")
        #expect(try await run.exitCode() == 130)
        #expect(!run.child.output.contains("three at a time:"))
        #expect(try folder.names == [])
    }

    @Test func aMissingTemporaryFolderIsReported() async throws {
        let run = try demo(["TMPDIR": "\(folder.path)/nowhere"])
        #expect(try await run.exitCode() == 2)
        #expect(run.errorLines.first?.contains("choose another with TMPDIR") == true)
    }
}
