import Foundation
import TestSupport
import Testing

/// The built program at work in a folder of its own.
final class SpateRun: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess

    /// Starts the program; the folder is where it works.
    init(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String = "",
        environment additions: [String: String] = [:]
    ) throws {
        self.folder = folder
        // What the machine has set for proxies is no part of a test.
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

    /// Runs the program to its end and returns its exit code.
    @discardableResult
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

    /// What was written to standard error, line by line.
    var errorLines: [String] { child.errors.split(separator: "\n").map(String.init) }

    /// Standard output as the JSON objects that its lines are.
    func events() throws -> [[String: Any]] {
        try child.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }
}

extension TemporaryFolder {
    /// The names in the folder, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url(name)))
    }
}
