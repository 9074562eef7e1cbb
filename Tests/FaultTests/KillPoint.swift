import Foundation
import TestSupport

/// A run of a program that is killed at one of its file calls, before that call is done.
struct KillPoint {
    /// Which call that is.
    enum Place: Sendable, CustomStringConvertible {
        /// The so-manieth, from 1.
        case number(Int)
        /// The first of this name about this file: `pwrite64 f.part`.
        case step(String)

        var description: String {
            switch self {
            case .number(let number): "\(number)"
            case .step(let step): step
            }
        }
    }

    enum Outcome: Sendable, Equatable {
        /// The call and the file that it was about: `pwrite64 f.part`.
        case killed(String)
        case ended(status: Int32)
    }

    private let child: ChildProcess

    /// Starts the program, which works in `folder`; only calls about files in there count.
    init(_ place: Place, _ program: String, _ arguments: [String], in folder: String) throws {
        child = try ChildProcess(
            BuiltProgram.path("KillPoint"),
            [place.description, program] + arguments,
            // The search for leaks at a program's end does not get on with a tracer.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"],
            folder: folder
        )
    }

    func outcome() async throws -> Outcome {
        let exit = try await child.waitForExit()
        let words = child.output.split(whereSeparator: \.isWhitespace)
        switch words.first {
        case "killed" where exit == .status(0) && words.count == 3: return .killed("\(words[1]) \(words[2])")
        case "ended" where exit == .status(0) && words.count == 3:
            if let status = Int32(words[1]) { return .ended(status: status) }
        default: break
        }
        throw SystemError("KillPoint: \(exit), \(child.output) \(child.errors)", number: EINVAL)
    }

    /// Whether this system lets a process trace its child and filter its calls: for `.enabled`.
    @Sendable static func isPossible() async -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        let trial = try? KillPoint(.number(1), "/bin/sh", ["-c", ": > made"], in: folder.path)
        let outcome = try? await trial?.outcome()
        if case .killed = outcome { return true }
        return false
    }
}
