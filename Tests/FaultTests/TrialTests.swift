import Foundation
import TestSupport
import Testing

/// What would crash the process, or let it wait for ever: each in a process of its own.
@Suite(.takesTurns) struct TrialTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ trial: String, _ arguments: String...) async throws {
        let program = try BuiltProgram.path("Trials")
        let process = try ChildProcess(program, [trial] + arguments, environment: [:], folder: folder.path)
        #expect(try await process.waitForExit() == .status(0), "\(process.errors.suffix(2_000))")
    }

    @Test(arguments: ["cancelled-dependents", "dropped-dependents", "late-dependencies"])
    func anOperationThatIsGoneBeforeItsDependencyEndsDoesNoHarm(trial: String) async throws {
        try await run(trial)
    }

    @Test func aDownloadResumedWhileItsAttemptEndsRunsAgain() async throws {
        try await together(["1", "2"]) { seed in
            let server = try TestServer { .file([1], for: $0).stalled(after: 0) }
            try await run("pause-and-resume", server.url("").absoluteString, seed)
        }
    }

    /// So few are left that one or another step lacks one: the file, the loop's wake-up, its socket, Dispatch's timer.
    @Test(arguments: ["descriptors", "late-descriptors"])
    func withoutDescriptorsDownloadsFailForNowAndLaterOnesSucceed(trial: String) async throws {
        try await together(["0", "1", "2", "3", "4", "5", "6", "8"]) { left in
            let server = try TestServer { .file([1, 2, 3], for: $0) }
            try await run(trial, server.url("").absoluteString, left)
        }
    }

    @Test(arguments: ["first-threads", "threads"])
    func withoutThreadsDownloadsFailForNowOrShareALoopAndLaterOnesSucceed(trial: String) async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        try await run(trial, server.url("").absoluteString)
    }
}
