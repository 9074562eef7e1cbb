import Foundation
import TestSupport
import Testing

/// A run of the built program in its own folder.
final class SpateRun: Sendable {
    let folder: TemporaryFolder
    let child: ChildProcess

    /// Starts the program with this current folder.
    init(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String = "",
        environment additions: [String: String] = [:]
    ) throws {
        self.folder = folder
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
    /// The sorted names in the folder.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url(name)))
    }
}
