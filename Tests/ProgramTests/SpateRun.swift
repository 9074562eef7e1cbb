import Foundation
import SpateTestSupport
import Testing

/// A run of the built program in its own folder.
final class SpateRun: Sendable {
    let child: ChildProcess

    /// Starts the program with this current folder.
    init(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String = "",
        environment additions: [String: String] = [:]
    ) throws {
        // Tests must not use the proxies of the machine.
        let environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(additions) { $1 }
        child = try ChildProcess(
            BuiltProgram.path("spate"),
            arguments,
            environment: environment,
            folder: folder.path,
            input: Array(input.utf8)
        )
    }

    /// Waits for the end and returns the exit code.
    func exitCode() async throws -> Int32 {
        switch try await child.waitForExit() {
        case .status(let code): return code
        case .signal(let number): throw EndedBySignal(number: number, errors: child.errors)
        }
    }

    struct EndedBySignal: Error {
        let number: Int32
        let errors: String
    }

    /// The lines on standard error.
    var errorLines: [String] { child.errors.split(separator: "\n").map(String.init) }

    /// The JSON objects on standard output.
    func events() throws -> [[String: Any]] {
        try child.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }
}

extension TemporaryFolder {
    /// Runs the program in this folder to its end, and expects its exit code.
    @discardableResult
    func spate(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> SpateRun {
        let run = try SpateRun(arguments, in: self, input: input, environment: environment)
        let ended = try await run.exitCode()
        #expect(ended == code, "\(run.child.errors)", sourceLocation: sourceLocation)
        return run
    }

    /// The sorted names in the folder.
    var names: [String] { get throws { try names(in: ".") } }

    /// The sorted names in the folder, without queues: those of failures stay.
    var files: [String] { get throws { try names.filter { !$0.hasPrefix(".spate-queue-") } } }

    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

    func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url(name)) }
}
