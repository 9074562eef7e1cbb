import Foundation
import Spate
import TestSupport
import Testing

/// What abuse costs, in time and in memory: the built program, in a process of its own for each.
@Suite(.takesTurns) struct AbuseCostTests {
    /// How much more memory than an honest download an abused one may take. Endless answers send far more.
    private static let allowance = 40_000_000

    private struct Run {
        var exit: ChildProcess.Exit
        var errors: String
        var peak: Int
    }

    private static func run(_ arguments: [String], in folder: String) async throws -> Run {
        let process = try MeasuredProcess(
            BuiltProgram.path("spate"),
            arguments + ["--retries", "1"],
            environment: [:],
            folder: folder
        )
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

    @Test(arguments: Abuse.all) func abuseCostsNoMoreMemoryThanAnHonestDownload(abuse: Abuse) async throws {
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

/// What a hostile server sends to the program, and how the program must end.
struct Abuse: Sendable, CustomTestStringConvertible {
    var name: String
    /// The right file, or a message with these words in it.
    var expected: Outcome
    var options: [String] = []
    var reply: @Sendable (ReceivedRequest) -> Reply

    enum Outcome: Sendable {
        case file([UInt8])
        case failure(String)
    }

    var testDescription: String { name }

    init(
        _ name: String,
        _ expected: Outcome,
        options: [String] = [],
        reply: @escaping @Sendable (ReceivedRequest) -> Reply
    ) {
        self.name = name
        self.expected = expected
        self.options = options
        self.reply = reply
    }

    static let all: [Abuse] = {
        let small = Array("right".utf8)
        return [
            Abuse("endless fields", .failure("too many response headers")) { _ in .endless(.fields) },
            Abuse("one endless field", .failure("field")) { _ in .endless(.fieldLine) },
            Abuse("a field of 12 MB", .failure("field")) { request in
                .file(small, for: request).addingField("X-Huge", String(repeating: "x", count: 12_000_000))
            },
            Abuse("endless interim responses", .failure("too many response headers")) { _ in .endless(.interim) },
            Abuse("endless trailers", .failure("chunks")) { _ in .endless(.trailers) },
            Abuse("an endless chunk extension", .failure("chunks")) { _ in .endless(.chunkExtension) },
            Abuse("an endless body", .failure("1000000"), options: ["--max-size", "1000000"]) { _ in
                .endless(.body)
            },
            Abuse("endless chunks", .failure("1000000"), options: ["--max-size", "1000000"]) { _ in
                .endless(.chunks)
            },
            Abuse("an endless error page", .failure("404")) { _ in
                .endless(.body, status: 404)
            },
            Abuse("a redirect into file:", .failure("redirect")) { _ in .redirect(to: "file:///etc/passwd") },
            Abuse("redirects without end", .failure("redirect")) { request in
                .redirect(to: "/\(request.sequence)")
            },
            Abuse("a redirect to 12 MB of address", .failure("field")) { _ in
                .redirect(to: "/" + String(repeating: "x", count: 12_000_000))
            },
        ]
    }()
}
