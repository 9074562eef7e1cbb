import Foundation
import SpateLocking
import SpateTestSupport
import Testing

/// A process that is killed at any moment, and the next run (ResumptionRules.md 71).
@Suite(.takesTurns) struct CrashTests {
    /// Pieces are gathered in a block before they are written. A block that is not full is lost with the process. On a
    /// slow line it is written four times a second.
    private static let block = 262_144
    private static let jobs = 3

    /// Several sizes: an empty file, small files, and files above the size from which room is reserved.
    private static let files: [String: TestFile] = {
        let sizes = [0, 1, 4_096, 70_000, 300_000, 1_200_000, 1_500_000, 2_000_000]
        return Dictionary(
            uniqueKeysWithValues: sizes.enumerated().map { number, size in
                let bytes = TestBytes.random(count: size, seed: UInt64(number))
                return ("/\(number).bin", TestFile(bytes, etag: "\"v\(number)\""))
            }
        )
    }()

    private static let size = files.values.map(\.bytes.count).reduce(0, +)

    /// What one kill led to.
    private struct Outcome {
        var wasInTime: Bool
        /// Bytes that had been given to the first run's connections and were not in its files.
        var lost: Int
    }

    @Test func afterAKillAtAnyMomentTheNextRunEndsRight() async throws {
        let outcomes = Locked<[Outcome]>([])
        try await together(0..<20) { _ in
            let outcome = try await kill()
            outcomes.withLock { $0.append(outcome) }
        }
        // Else the kills no longer hit the download.
        let inTime = outcomes.withLock { $0 }.filter(\.wasInTime)
        try #require(inTime.count >= 5)
        // What was in the sockets is lost as well, and a busy machine leaves more there: so the best quarter counts.
        let lost = inTime.map(\.lost).sorted()
        #expect(lost[lost.count / 4] <= Self.jobs * Self.block, "\(lost) bytes")
    }

    /// Kills a run at a random moment after its first request, and checks the next run.
    private func kill() async throws -> Outcome {
        let folder = try TemporaryFolder()
        let server = try TestServer(files: Self.files) { request, reply in
            request.fields["Run"] == "1" ? reply.throttled(bytesPerSecond: 2_000_000) : reply
        }
        let urls = Self.files.keys.sorted().map { server.url($0).absoluteString }
        let child = try CrashProgram.start(["--header", "Run: 1", "-j", "\(Self.jobs)"] + urls, in: folder.path)
        try await server.waitForRequests(1)
        // Not by a task's sleep: other tests may keep the threads of tasks busy until the run is over.
        let moment = DispatchTime.now() + .milliseconds(Int.random(in: 0...600))
        DispatchQueue(label: "kill").asyncAfter(deadline: moment) { child.send(SIGKILL) }
        let exit = try await child.waitForExit()
        let held = try Self.contents(of: folder).values.map(\.count).reduce(0, +)

        // On one connection for each file: a second one for the end of a file would ask for it twice.
        let options = ["--header", "Run: 2", "-j", "\(Self.jobs)", "-x", "1"]
        let next = try CrashProgram.start(options + urls, in: folder.path)
        #expect(try await next.waitForExit() == .status(0), "\(next.errors)")
        // The bytes that the kernel had are not asked for again, but for the seams.
        let again = server.requests.filter { $0.fields["Run"] == "2" }.map(Self.bytesAsked).reduce(0, +)
        #expect((Self.size - held...Self.size - held + 4_096 * Self.files.count).contains(again))
        let found = try Self.contents(of: folder)
        #expect(found.keys.sorted() == Self.files.keys.map { String($0.dropFirst()) }.sorted())
        for (name, bytes) in found {
            #expect(TestBytes.difference(bytes, from: Self.files["/" + name]?.bytes ?? []) == nil, "\(name)")
        }
        return Outcome(wasInTime: exit == .signal(SIGKILL), lost: server.bytesSent - again - held)
    }

    /// How many bytes a right answer to the request has.
    private static func bytesAsked(_ request: ReceivedRequest) -> Int {
        let start = request.range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        return (files[request.path]?.bytes.count ?? 0) - start
    }

    /// The files in a folder by their names, without sidecars.
    private static func contents(of folder: TemporaryFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.url($0))) }
        )
    }
}
