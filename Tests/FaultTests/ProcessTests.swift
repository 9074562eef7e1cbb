import Foundation
import SpateTestSupport
import Testing

/// What a process that downloads owes itself and its children.
@Suite(.takesTurns) struct ProcessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(_ action: String, _ server: TestServer, count: Int) throws -> ChildProcess {
        let authorities = server.tls == nil ? [] : [try TestCertificates.authority.path]
        let arguments = [action, server.url("").absoluteString, "\(count)"] + authorities
        return try ChildProcess(BuiltProgram.path("SpateMidDownload"), arguments, environment: [:], folder: folder.path)
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func exitingInTheMiddleOfTransfersOverTLSIsSafe() async throws {
        // Each file takes a handshake, so that libcurl and its TLS library are always at work.
        let server = try TestServer(tls: .good) { request in
            .bytes(["HTTP/1.1 200 OK", "Content-Length: 5000", "Connection: close"], TestBytes.random(count: 5_000))
        }
        for _ in 1...3 {
            let exit = try await start("exit", server, count: 2_000).waitForExit()
            #expect(exit == .status(7))
        }
    }

    @Test func aChildInheritsNoDescriptor() async throws {
        let server = try TestServer { request in
            .file(TestBytes.random(count: 5_000), for: request).stalled(after: request.path == "/0" ? 5_000 : 2_000)
        }
        let run = try start("list", server, count: 8)
        #expect(try await run.waitForExit() == .status(0))
        // The last is the listed folder itself.
        let lines = run.output.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(lines.count == 4 && run.output.contains("/fd\n"), "\(run.output)")
    }
}

/// What would crash the process, or let it wait for ever: each in a process of its own.
@Suite(.mostlyWaits) struct TrialTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ trial: String, _ arguments: String...) async throws {
        let program = try BuiltProgram.path("SpateTrials")
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

    @Test func withoutDescriptorsFilesAreNeitherMissingNorDeleted() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        try await run("files", server.url("").absoluteString)
    }

    @Test func withoutThreadsDownloadsShareALoop() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        try await run("threads", server.url("").absoluteString)
    }
}
