import Foundation
import SpateTestSupport
import Testing

/// `spate get` keeps its queue. It is killed before every file call, and so is the `spate resume` that follows.
@Suite(.takesTurns, .enabled("this system lets no process trace its child", KillPoint.isPossible))
struct QueueKillTests {
    private static let names = ["a", "b", "c"]
    private let server: TestServer

    init() throws {
        server = try TestServer { .file(TestBytes.random(count: 1_000), for: $0) }
    }

    private var get: [String] { ["-q", "-j", "1"] + Self.names.map { server.url("/\($0)").absoluteString } }

    /// What is on disk of the queue or of files: what must not be lost.
    private func promised(in folder: TemporaryFolder) throws -> Set<String> {
        var promised: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if name.hasPrefix(".spate-queue-") {
                let text = try String(contentsOf: folder.url(name), encoding: .utf8)
                // The URL of an entry ends at its first tab.
                for line in text.split(separator: "\n") where line.contains(" + ") {
                    promised.insert(String(line.prefix { $0 != "\t" }.suffix(1)))
                }
            } else if let attributes = try? attributes(of: folder.path(name)), !attributes.isEmpty {
                promised.insert(String(name.prefix(1)))
            }
        }
        return promised
    }

    /// After this, everything that was promised is finished, and no journal and no partial file is left.
    private func resumeEndsRight(_ promised: Set<String>, in folder: TemporaryFolder, _ comment: Comment) async throws {
        let resume = try CrashProgram.start(["resume", "-q"], in: folder.path)
        #expect(try await resume.waitForExit() == .status(0), "\(comment): \(resume.errors)")
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(promised.isSubset(of: names), comment)
        // A kill may leave an empty file that is not signed yet.
        #expect(names.subtracting(promised).allSatisfy { $0.hasSuffix(".part") }, "\(comment): \(names)")
        let again = try CrashProgram.start(get, in: folder.path)
        #expect(try await again.waitForExit() == .status(0), "\(comment): \(again.errors)")
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == Set(Self.names), comment)
    }

    @Test func aKilledRunIsResumedAndNothingOfItsQueueIsLost() async throws {
        let program = try BuiltProgram.path("spate")
        try await KillWalk.points(and: ["openat unnamed", "linkat b", "linkat c"]) { point in
            let folder = try TemporaryFolder()
            let outcome = try await KillPoint(point, program, get, in: folder.path).outcome()
            let promised = try promised(in: folder)
            try await resumeEndsRight(promised, in: folder, "\(outcome)")
            return outcome
        }
    }

    /// A folder in which a run was killed after all three had been enqueued, and before one was finished. On a busy machine
    /// the first may be there before the call that enqueues them returns: then nothing is promised yet. Or one has
    /// come so slowly that it has the name of a part, which is renamed and not linked.
    private func killedFolder() async throws -> TemporaryFolder {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let outcome = try await KillPoint(.step("linkat a"), BuiltProgram.path("spate"), get, in: folder.path)
                .outcome()
            #expect(outcome == .killed("linkat a"))
            let hasParts = try FileManager.default.contentsOfDirectory(atPath: folder.path).contains {
                $0.hasSuffix(".part")
            }
            if !hasParts, try promised(in: folder) == Set(Self.names) { return folder }
        }
        throw SystemError("a queue that is written before a file is there", number: ETIME)
    }

    @Test func aKilledResumptionIsResumed() async throws {
        let program = try BuiltProgram.path("spate")
        try await KillWalk.points(and: ["linkat b", "linkat c"]) { point in
            let folder = try await killedFolder()
            let outcome = try await KillPoint(point, program, ["resume", "-q", "-j", "1"], in: folder.path).outcome()
            try await resumeEndsRight(Set(Self.names), in: folder, "\(outcome)")
            return outcome
        }
    }

    @Test func twoProcessesShareAFolderWithoutLosingAnEntry() async throws {
        let silent = try TestServer { _ in .silence }
        let folder = try TemporaryFolder()
        let urls = (0..<40).map { silent.url("/\($0)").absoluteString }
        let runs = try [urls[..<20], urls[20...]].map { part in
            try CrashProgram.start(["-q", "--timeout", "600"] + part, in: folder.path)
        }
        try await silent.waitForRequests(6)
        // Both run: nobody else takes over their queues.
        let early = try CrashProgram.start(["resume"], in: folder.path)
        #expect(try await early.waitForExit() == .status(0), "\(early.errors)")
        #expect(silent.requests.count == 6)
        for run in runs {
            run.send(SIGKILL)
            _ = try await run.waitForExit()
        }
        let status = try CrashProgram.start(["status", "--json"], in: folder.path)
        #expect(try await status.waitForExit() == .status(0))
        for url in urls { #expect(status.output.contains("\"\(url)\"")) }
        let resume = try CrashProgram.start(["resume", "-q", "-j", "40", "--timeout", "600"], in: folder.path)
        try await silent.waitForRequests(46)
        #expect(Set(silent.requests.dropFirst(6).map(\.path)).count == 40)
        resume.send(SIGKILL)
        _ = try await resume.waitForExit()
    }
}
