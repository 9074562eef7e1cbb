import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// The built program on a terminal. Each first response stalls halfway.
@Suite(.mostlyWaits) struct LiveTerminalTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 2_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server(_ names: [String]) throws -> TestServer {
        try TestServer(files: Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", .init(bytes, etag: "\"v\"")) })) {
            request,
            reply in
            request.visit == 1 ? reply.stalled(after: 1_000_000) : reply
        }
    }

    private func start(_ server: TestServer, _ names: [String], _ options: [String] = []) throws -> PseudoTerminal {
        let urls = names.map { server.url("/\($0)").absoluteString }
        return try PseudoTerminal(try BuiltProgram.path("spate"), ["--timeout", "600"] + options + urls, in: folder)
    }

    @Test func everyRunningDownloadHasALine() async throws {
        let server = try server(["a.bin", "b.bin", "c.bin"])
        let terminal = try start(server, ["a.bin", "b.bin", "c.bin"], ["-j", "2"])
        try await terminal.waitForLine("a.bin", "50%", "1 MB/2 MB")
        try await terminal.waitForLine("b.bin", "50%", "1 MB/2 MB")
        try await terminal.waitForLine("0 done, 2 running, 1 waiting, 0 failed")
        #expect(terminal.picture.lines.count == 3)
        #expect(!terminal.picture.showsCursor)
        #expect(!terminal.mode.echoes)
        terminal.send(SIGINT)
        #expect(try await terminal.exitCode() == 130)
        #expect(terminal.picture.unknown == [])
    }

    @Test func keysWorkWhileTheListComesFromAPipe() async throws {
        let server = try server(["a.bin"])
        let script = "echo \(server.url("/a.bin")) | \(try BuiltProgram.path("spate")) --timeout 600 -i -; echo code $?"
        let terminal = try PseudoTerminal("/bin/sh", ["-c", script], in: folder)
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        try terminal.type(" ")
        try await terminal.waitForLine("a.bin", "paused")
        try terminal.type("q")
        try await terminal.waitForLine("code 130")
        _ = try await terminal.exitCode()
        #expect(terminal.mode.echoes)
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.bracketsPaste)
    }

    @Test func aPausedDownloadCanBeResumedAndFinishes() async throws {
        let server = try server(["a.bin"])
        let terminal = try start(server, ["a.bin"])
        try await terminal.waitForLine("a.bin", "50%")
        try terminal.type(" ")
        try await terminal.waitForLine("a.bin", "paused")
        try await terminal.waitForLine("All paused: space resumes one")
        try terminal.type(" ")
        #expect(try await terminal.exitCode() == 0)
        #expect(try folder.bytes("a.bin").count == bytes.count)
        #expect(TestBytes.difference(try folder.bytes("a.bin"), from: bytes) == nil)
        #expect(terminal.picture.lines.count == 1)
        #expect(terminal.picture.lines.first?.hasPrefix("a.bin: 2 MB in ") == true)
        #expect(terminal.mode.echoes)
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.bracketsPaste)
    }

    @Test func oneThatWaitsIsScrolledToAndCancelledAndALineSumsUp() async throws {
        let gate = try Gate()
        let names = ["a.bin", "b.bin", "c.bin"]
        let server = try TestServer(files: Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", .init(bytes)) })) {
            $1.gated(after: 1_000_000, gate)
        }
        let terminal = try start(server, names, ["-j", "1"])
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.picture.lines.contains { $0.contains("b.bin") })
        try terminal.type("jj")
        try await terminal.waitForLine("> b.bin", "waiting")
        try terminal.type("x")
        try await terminal.waitForLine("> c.bin", "waiting")
        try terminal.type("k")
        try await terminal.waitForLine("> a.bin", "50%")
        try await terminal.waitForLine("0 done, 1 running, 1 waiting", "[##")
        gate.open()
        #expect(try await terminal.exitCode() == 1)
        #expect(try folder.names == ["a.bin", "c.bin"])
        let last = try #require(terminal.picture.all.last { !$0.isEmpty })
        #expect(last.hasPrefix("2 files, 4 MB in ") && last.hasSuffix(", 1 cancelled"), "\(terminal.picture.all)")
    }

    @Test func deletingAsksFirst() async throws {
        let server = try server(["a.bin"])
        let terminal = try start(server, ["a.bin"])
        try await terminal.waitForLine("a.bin", "50%")
        try terminal.type("d")
        try await terminal.waitForLine("Delete a.bin? (y/n)")
        try terminal.type("n")
        try await terminal.wait(for: "no question") { !$0.lines.contains { $0.contains("Delete") } }
        #expect(try folder.names.filter { !$0.hasPrefix(".spate-queue-") } == ["a.bin.part"])
        try terminal.type("dy")
        #expect(try await terminal.exitCode() == 1)
        try await eventually("no file") { try folder.names.isEmpty }
    }

    @Test func noKeysDoesNotChangeTheTerminalsMode() async throws {
        let server = try server(["a.bin"])
        let terminal = try start(server, ["a.bin"], ["--no-keys"])
        try await terminal.waitForLine("a.bin", "50%")
        #expect(terminal.mode.echoes)
        terminal.send(SIGINT)
        #expect(try await terminal.exitCode() == 130)
    }

    @Test(
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGABRT, 134), (SIGSEGV, 139), (SIGILL, 132)]
            as [(Int32, Int32)]
    )
    func aSignalRestoresTheTerminal(signal: Int32, code: Int32) async throws {
        let server = try server(["a.bin"])
        let terminal = try start(server, ["a.bin"])
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        terminal.send(signal)
        // A sanitizer ends a crash with its own exit code.
        let ended = try await terminal.exitCode()
        if StopSignal.allCases.contains(where: { $0.number == signal }) { #expect(ended == code) }
        #expect(ended != 0)
        #expect(terminal.mode.echoes)
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.bracketsPaste)
    }
}
