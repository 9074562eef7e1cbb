import Foundation
import Spate
import SpateTestSupport
import Testing

/// Servers that send without end, and memory that stays bounded (ResumptionRules.md 82 to 84).
@Suite(.takesTurns) struct AbuseTests {
    @Test func aHeadBelowTheCapIsTaken() async throws {
        let server = try TestServer { request in
            (0..<250).reduce(Reply.file([1, 2], for: request)) { reply, number in
                reply.addingField("X-\(number)", String(repeating: "x", count: 1_000))
            }
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(try test.bytes("f") == [1, 2])
    }

    @Test(arguments: [false, true]) func aRangeWithoutEndStopsWhereItSaidItWould(isChunked: Bool) async throws {
        let story = try FaultStory.interrupted { _, _ in
            let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes 95904-299999/300000"]
            let reply = Reply.bytes(head, FaultStory.bytes[95_904...] + TestBytes.random(count: 1_000_000))
            return (isChunked ? reply.chunked() : reply).stalled(after: 1_100_000)
        }
        try await story.publishes(asking: [nil, .rest])
    }

    @Test func memoryStaysBoundedWhereTheDiskIsSlow() async throws {
        let (size, speed) = (400_000_000, 200_000_000)
        // The endless body comes as fast as it is taken, and the disk is slower than that.
        let server = try TestServer { _ in .endless(.body) }
        let folder = try TemporaryFolder()
        let process = try MeasuredProcess(
            BuiltProgram.path("spate"),
            ["--max-size", "\(size)", server.url("/f").absoluteString],
            through: [BuiltProgram.path("SpateSlowDisk"), "\(speed)"],
            environment: [:],
            folder: folder.path
        )
        let (exit, found) = try await process.end()
        let cost = try #require(found)
        #expect(exit == .status(1) && cost.peakBytes < 100_000_000, "\(cost.peakBytes) bytes")
        #expect(cost.wallSeconds > 0.9 * Double(size) / Double(speed), "the disk was not slow")
    }
}

/// What abuse costs, in time and in memory: the built program, in a process of its own for each.
@Suite(.takesTurns) struct AbuseCostTests {
    /// How much more memory than an honest download an abused one may take. Endless answers send far more.
    private static let allowance = 40_000_000

    /// Runs the program, and returns its peak of memory.
    private static func peak(
        of folder: TemporaryFolder,
        _ options: [String] = [],
        ending expected: ChildProcess.Exit,
        saying words: String = "",
        _ reply: @escaping TestServer.Handler
    ) async throws -> Int {
        let server = try TestServer(reply)
        let process = try MeasuredProcess(
            BuiltProgram.path("spate"),
            options + ["--retries", "1", server.url("/f").absoluteString],
            environment: [:],
            folder: folder.path
        )
        let (exit, cost) = try await process.end()
        let errors = process.stopwatch.errors
        #expect(exit == expected && (words.isEmpty || errors.contains(words)), "\(errors)")
        #expect(errors.utf8.count < 2_000)
        return try #require(cost).peakBytes
    }

    /// What an honest download of 3 MB takes.
    private static let honest = Task {
        try await peak(of: TemporaryFolder(), ending: .status(0)) { .file(TestBytes.random(count: 3_000_000), for: $0) }
    }

    private static let huge = String(repeating: "x", count: 12_000_000)
    private static let sized = ["--max-size", "1000000"]

    /// What a hostile server sends to the program, and what that says of it.
    static let abuses: [(name: String, words: String, options: [String], reply: TestServer.Handler)] = [
        ("endless fields", "too many response headers", [], { _ in .endless(.fields) }),
        ("one endless field", "field", [], { _ in .endless(.fieldLine) }),
        ("a field of 12 MB", "field", [], { .file([1], for: $0).addingField("X-Huge", huge) }),
        ("endless interim responses", "too many response headers", [], { _ in .endless(.interim) }),
        ("endless trailers", "chunks", [], { _ in .endless(.trailers) }),
        ("an endless chunk extension", "chunks", [], { _ in .endless(.chunkExtension) }),
        ("an endless body", "1000000", sized, { _ in .endless(.body) }),
        ("endless chunks", "1000000", sized, { _ in .endless(.chunks) }),
        ("an endless error page", "404", [], { _ in .endless(.body, status: 404) }),
        ("a redirect into file:", "redirect", [], { _ in .redirect(to: "file:///etc/passwd") }),
        ("redirects without end", "redirect", [], { .redirect(to: "/\($0.sequence)") }),
        ("a redirect to 12 MB of address", "field", [], { _ in .redirect(to: "/" + huge) }),
    ]

    @Test(arguments: abuses.indices) func abuseCostsNoMoreMemoryThanAnHonestDownload(index: Int) async throws {
        let (name, words, options, reply) = Self.abuses[index]
        let folder = try TemporaryFolder()
        let peak = try await Self.peak(of: folder, options, ending: .status(1), saying: words, reply)
        #expect(try await peak <= Self.honest.value + Self.allowance, "\(name): \(peak) bytes")
        #expect(!FileManager.default.fileExists(atPath: folder.path("f")), "\(name)")
    }
}
