import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

@Suite(.mostlyWaits) struct DemoCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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
        for file in DemoFile.all { #expect(lines.contains { $0.hasPrefix("✓ \(file.name) ") }, "\(file.name)") }
        #expect(lines.last?.hasPrefix("All 16 claims proven in ") == true)
        #expect(try folder.names == [])
    }

    @Test(
        arguments: [
            (SIGINT, "three at a time:", "proven", 130), (SIGTERM, "three at a time:", "proven", 143),
            (SIGINT, "is killed halfway", "three at a time:", 130),
        ] as [(Int32, String, String, Int32)]
    )
    func aSignalStopsTheDemoAndDeletesItsFolder(signal: Int32, said: String, next: String, code: Int32) async throws {
        let run = try demo()
        run.child.send(signal, onceSaid: said)
        #expect(try await run.exitCode() == code)
        #expect(!run.child.output.contains(next))
        #expect(try folder.names == [])
    }

    @Test func aMissingTemporaryFolderIsReported() async throws {
        let run = try demo(["TMPDIR": "\(folder.path)/nowhere"])
        #expect(try await run.exitCode() == 2)
        #expect(run.errorLines.first?.contains("choose another with TMPDIR") == true)
    }
}
