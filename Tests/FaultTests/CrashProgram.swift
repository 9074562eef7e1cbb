import Foundation
import SpateTestSupport

/// The built program, for tests that need a process of its own.
enum CrashProgram {
    /// Starts `spate`, which works in the folder.
    static func start(_ arguments: [String], in folder: String) throws -> ChildProcess {
        try ChildProcess(BuiltProgram.path("spate"), arguments, environment: [:], folder: folder)
    }

    /// Starts `spate` from a shell that has set limits before.
    static func start(after commands: String, _ arguments: [String], in folder: String) throws -> ChildProcess {
        let program = try BuiltProgram.path("spate")
        return try ChildProcess(
            "/bin/sh",
            ["-c", "\(commands); exec \"$@\"", "sh", program] + arguments,
            environment: [:],
            folder: folder
        )
    }
}
