import Foundation
import SpateTestSupport
import Testing

@testable import SpateConsole

/// The built program on a terminal that is its own.
@Suite(.mostlyWaits) struct LiveTerminalTests {
    @Test func aPausedDownloadCanBeResumedWhileTheListComesFromAPipe() async throws {
        let scene = try LiveScene()
        let terminal = try scene.shell("echo \(scene.server.url("/a.bin")) | $SPATE --timeout 600 -i -")
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        try terminal.type(" ")
        try await terminal.waitForLine("a.bin", "paused")
        try await terminal.waitForLine("All paused: space resumes one")
        try terminal.type(" ")
        try await scene.expectSuccess(of: terminal)
        #expect(terminal.picture.lines.count == 1)
        #expect(terminal.picture.lines.first?.hasPrefix("a.bin: 2 MB in ") == true)
    }

    @Test func oneThatWaitsIsScrolledToAndCancelledAndALineSumsUp() async throws {
        let scene = try LiveScene(["a.bin", "b.bin", "c.bin"])
        let terminal = try scene.start(["-j", "1"])
        try await terminal.waitForLine("a.bin", "50%")
        #expect(terminal.picture.lines.count == 3 && !terminal.picture.showsCursor && !terminal.mode.echoes)
        try terminal.type("jj")
        try await terminal.waitForLine("> b.bin", "waiting")
        try terminal.type("x")
        try await terminal.waitForLine("> c.bin", "waiting")
        try terminal.type("k")
        try await terminal.waitForLine("> a.bin", "50%")
        try await terminal.waitForLine("0 of 2 files", "[##")
        try await terminal.waitForLine("1 running, 1 waiting, ? for keys")
        scene.gate.open()
        try await scene.expectEnd(of: terminal, code: 1)
        #expect(try scene.folder.names == ["a.bin", "c.bin"])
        let last = try #require(terminal.picture.all.last { !$0.isEmpty })
        #expect(last.contains(/^2 files, 4 MB in .* s(, .*B\/s)?, 1 cancelled$/), "\(terminal.picture.all)")
    }

    @Test func keysChangeHowManyRunAtOnceAndTheLogSaysSo() async throws {
        let scene = try LiveScene(["a.bin", "b.bin"])
        let terminal = try scene.start(["-j", "3", "--log", "events.log"])
        try await terminal.wait(for: "both at half") { $0.lines.count { $0.contains("50%") } == 3 }
        try terminal.type("++")
        try await terminal.waitForLine("2 running", "5 at once")
        try terminal.type("--?")
        try await terminal.waitForLine("+ - a", "(3)")
        try terminal.type("a")
        try await terminal.waitForLine("+ - a", "(3, automatic)")
        try terminal.type("+")
        try await terminal.waitForLine("+ - a", "(4)")
        try await terminal.waitForLine("2 running", "4 at once")
        try terminal.type("?")
        scene.gate.open()
        try await scene.expectEnd(of: terminal)
        let lines = try scene.folder.text("events.log").split(separator: "\n").filter { $0.contains("concurrency") }
        let changes = try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["event"] as? String == "concurrency" && object?["reason"] as? String == "set")
            return [object?["former"] as? Int, object?["limit"] as? Int]
        }
        #expect(changes == [[3, 4], [4, 5], [5, 4], [4, 3], [3, 4]])
        #expect(lines.last?.contains(#""notes":["4 at once: chosen with a key"]"#) == true)
    }

    @Test func deletingAsksFirst() async throws {
        let scene = try LiveScene()
        let terminal = try scene.start()
        try await terminal.waitForLine("a.bin", "50%")
        try terminal.type("d")
        try await terminal.waitForLine("Delete a.bin? (y/n)")
        try terminal.type("n")
        try await terminal.wait(for: "no question") { !$0.lines.contains { $0.contains("Delete") } }
        #expect(try scene.folder.names.filter { !$0.hasPrefix(".spate-queue-") } == ["a.bin.part"])
        try terminal.type("dy")
        try await scene.expectEnd(of: terminal, code: 1)
        try await eventually("no file") { try scene.folder.names.isEmpty }
        let url = scene.server.url("/a.bin")
        #expect(terminal.picture.all == ["spate: note: \(url): Deleted, with its files."])
    }

    /// No signal means the key `q`.
    @Test(
        arguments: [
            (nil, 130), (SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGABRT, 134), (SIGSEGV, 139), (SIGILL, 132),
        ] as [(Int32?, Int32)]
    )
    func aSignalRestoresTheTerminal(signal: Int32?, code: Int32) async throws {
        let scene = try LiveScene()
        let terminal = try scene.start()
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        if let signal { terminal.send(signal) } else { try terminal.type("q") }
        // A sanitizer ends a crash with its own exit code.
        let isStop = signal == nil || StopSignal.allCases.contains { $0.rawValue == signal }
        try await scene.expectEnd(of: terminal, code: isStop || !Sanitizer.isPresent ? code : terminal.exitCode())
    }

    @Test func theLinesFollowTheSizeOfTheTerminal() async throws {
        let names = (0..<7).map { "file-\($0).bin" }
        let scene = try LiveScene(names)
        let terminal = try scene.start(["-j", "7"])
        try await terminal.wait(for: "all at half") { $0.lines.count { $0.contains("50%") } == 8 }
        // Paused, so that nothing else changes the lines.
        try terminal.type("P")
        try await terminal.waitForLine("aused: space")

        terminal.resize(columns: 132, rows: 24)
        try await terminal.wait(for: "wide lines") { picture in
            picture.lines.count == 10 && picture.lines.prefix(7).allSatisfy { $0.hasSuffix("paused") && $0.count > 110 }
        }
        terminal.resize(columns: 40, rows: 5)
        try await terminal.wait(for: "a count of the others") { picture in
            let lines = picture.lines.suffix(4)
            return lines.first?.hasSuffix("paused") == true && lines.dropFirst().first == "  and 6 more"
                && lines.allSatisfy { $0.count < 40 }
        }
        terminal.resize(columns: 80, rows: 24)
        try await terminal.wait(for: "all lines again") { $0.lines.suffix(10).count { $0.contains("50%") } == 8 }

        try terminal.type("P")
        try await scene.expectSuccess(of: terminal)
        for name in names {
            let lines = terminal.picture.all.count { $0.hasPrefix("\(name): 2 MB in ") }
            #expect(lines == 1, "\(terminal.picture.all)")
        }
    }
}
