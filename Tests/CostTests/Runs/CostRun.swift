import Foundation
import SpateTestSupport
import Testing

/// A run of a program that downloads into a folder of its own, which is where it works, and that is counted.
struct CostRun {
    let output: String
    let errors: String

    /// Runs it to its end, and expects each file to have all its bytes: a wrong result may cost anything.
    init(
        _ program: String,
        _ arguments: [String] = [],
        input: String,
        expecting files: [(url: URL, bytes: [UInt8])]
    ) async throws {
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            BuiltProgram.path(program),
            arguments,
            // The leak check at a program's end does not work under a tracer.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"],
            folder: folder.path,
            input: Array(input.utf8)
        )
        let exit = try await child.waitForExit()
        (output, errors) = (child.output, child.errors)
        // If the system does not allow tracing, the program says so.
        guard exit == .status(0) else { throw SystemError("\(program): \(exit), \(errors)", number: ECANCELED) }
        for file in files {
            let found = try Data(contentsOf: folder.url(file.url.lastPathComponent))
            #expect(TestBytes.difference(found, from: file.bytes) == nil, "\(file.url)")
        }
    }

    /// The system calls of `spate`, which downloads the files, three at once.
    static func calls(_ files: [(url: URL, bytes: [UInt8])]) async throws -> CallTable {
        let notes = try TemporaryFolder()
        _ = try await CostRun(
            "SpateCallCount",
            [notes.path("calls"), BuiltProgram.path("spate"), "--quiet", "--jobs", "3", "-x", "1", "--input", "-"],
            input: files.map { $0.url.absoluteString + "\n" }.joined(),
            expecting: files
        )
        return try CallTable(String(contentsOf: notes.url("calls"), encoding: .utf8))
    }

    /// The number of allocations in each turn after the first, which is not counted; `nil` under a sanitizer, which
    /// replaces the heap. The files of a turn are downloaded together.
    static func allocations(_ turns: [[(url: URL, bytes: [UInt8])]]) async throws -> [Double]? {
        let run = try await CostRun(
            "SpateAllocationCount",
            input: turns.map { $0.map(\.url.absoluteString).joined(separator: " ") + "\n" }.joined(),
            expecting: turns.flatMap { $0 }
        )
        let counts = run.output.split(separator: "\n").compactMap { Double($0) }
        try #require(counts.count == turns.count, "\(run.output)")
        return counts.contains(-1) ? nil : Array(counts.dropFirst())
    }
}
