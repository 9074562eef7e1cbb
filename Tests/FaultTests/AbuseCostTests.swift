import Foundation
import Spate
import TestSupport
import Testing

/// What abuse costs, in time and in memory: the built program, in a process of its own for each.
@Suite struct AbuseCostTests {
    /// How much more than an honest download an abused one may take. The largest attacks send or unpack to more
    /// than ten times as much.
    private static let allowance = 40_000_000

    /// What a run came to.
    private struct Run {
        var exit: ChildProcess.Exit
        var errors: String
        var peak: Int
    }

    /// Runs the program to its end, which must come in time.
    private static func run(_ arguments: [String], in folder: String) async throws -> Run {
        let process = try CrashProgram.startMeasured(arguments + ["--retries", "1"], in: folder)
        let (exit, cost) = try await process.end()
        return Run(exit: exit, errors: process.stopwatch.errors, peak: try #require(cost).peakBytes)
    }

    /// What an honest download of 3 MB takes.
    private static let honest = Task {
        let server = try TestServer { .file(TestBytes.random(count: 3_000_000), for: $0) }
        let folder = try TemporaryFolder()
        let run = try await Self.run([server.url("/f").absoluteString], in: folder.path)
        #expect(run.exit == .status(0), "\(run.errors)")
        return run.peak
    }

    @Test(arguments: Abuse.all) func whatAServerDoesCostsNoMoreThanAnHonestDownload(abuse: Abuse) async throws {
        let server = try TestServer(abuse.reply)
        let folder = try TemporaryFolder()
        let run = try await Self.run(abuse.options + [server.url("/f").absoluteString], in: folder.path)
        #expect(try await run.peak <= Self.honest.value + Self.allowance, "\(run.peak) bytes")
        let file = folder.url("f")
        switch abuse.expected {
        case .file(let bytes):
            #expect(run.exit == .status(0), "\(run.errors)")
            #expect(TestBytes.difference(try Data(contentsOf: file), from: bytes) == nil)
        case .failure(let words):
            #expect(run.exit == .status(1) && run.errors.contains(words), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
        #expect(run.errors.utf8.count < 2_000)
    }
}
