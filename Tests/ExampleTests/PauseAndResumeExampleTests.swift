import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

/// The server stops halfway until the client leaves. So exactly half of the file is there when it is paused.
@Suite(.mostlyWaits) struct PauseAndResumeExampleTests {
    private static let name = "paused-halfway.mp4"
    private let folder: TemporaryFolder
    private let commands: CommandPipe

    init() throws {
        folder = try TemporaryFolder()
        commands = try CommandPipe(in: folder)
    }

    private func start(_ urls: [String]) throws -> ExampleRun {
        try ExampleRun("SpatePauseAndResume", ["out"] + urls, in: folder, input: commands.path)
    }

    /// Waits until half of the file is there. The server does not wait for ever: on a machine that lets this test rest for
    /// half a minute, the run has ended.
    private func waitForHalf(of run: ExampleRun) async throws {
        let (half, path) = (try DemoFile.named(Self.name).half, folder.path("out/\(Self.name).part"))
        try await eventually("half of the file") {
            if let exit = run.child.exit { throw EndedEarly(exit: exit, output: run.child.output) }
            var status = stat()
            return stat(path, &status) == 0 && Int(status.st_size) >= half
        }
    }

    private struct EndedEarly: Error {
        let exit: ChildProcess.Exit
        let output: String
    }

    private var isWhole: Bool { get throws { try DemoFile.isWhole(Self.name, in: folder, "out/\(Self.name)") } }

    @Test func theMenuPausesAndResumesByURL() async throws {
        let server = try await DemoURLs()
        let run = try start([server.url("not-there.txt"), server.url(Self.name)])
        try await waitForHalf(of: run)
        try commands.type("pause 2")
        try await run.child.waitForOutput(containing: "\(Self.name): paused at 4.2 MB of 8.4 MB")
        try commands.type("list")
        try await run.child.waitForOutput(containing: "2  \(try server.url(Self.name))  paused, 4.2 MB of 8.4 MB")
        try commands.type("resume 3")
        try await run.child.waitForOutput(containing: "There is no download 3. Type list to see the numbers.")
        try commands.type("resume 2")
        let lines = try await run.lines(code: 0)
        #expect(lines.contains("1  \(try server.url("not-there.txt"))  ended"))
        #expect(lines.last == "\(Self.name): finished")
        #expect(try isWhole)
    }

    @Test func signalsPauseAndResumeAll() async throws {
        let server = try await DemoURLs()
        let run = try start([server.url(Self.name)])
        try await waitForHalf(of: run)
        run.child.send(SIGUSR1)
        try await run.child.waitForOutput(containing: "\(Self.name): paused at 4.2 MB")
        run.child.send(SIGUSR2)
        _ = try await run.lines(code: 0)
        #expect(try isWhole)
    }

    @Test func theNextRunContinuesThePartialFiles() async throws {
        let server = try await DemoURLs()
        let first = try start([server.url(Self.name)])
        try await waitForHalf(of: first)
        try commands.type("quit")
        #expect(try await first.lines(code: 0).last == "\(Self.name): cancelled at 4.2 MB of 8.4 MB")
        #expect(try !isWhole)
        let second = try start([])
        #expect(try await second.lines(code: 0).last == "\(Self.name): finished")
        #expect(try isWhole)
        let third = try start([])
        #expect(try await third.lines(code: 0) == ["There are no partial files, and no URL was given."])
    }

    @Test func aDeletedDownloadLeavesNoFile() async throws {
        let server = try await DemoURLs()
        let run = try start([server.url(Self.name)])
        try await waitForHalf(of: run)
        try commands.type("delete 1")
        #expect(try await run.lines(code: 0).last?.hasPrefix("\(Self.name): cancelled") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == [])
    }
}
