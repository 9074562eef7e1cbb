import Foundation
import SpateLocking
import SpateTestSupport
import Testing

/// A run of a program that is killed at one of its file calls, before that call is done.
struct KillPoint {
    /// At which call.
    enum Place: Sendable, CustomStringConvertible {
        /// By its number, from 1.
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
            BuiltProgram.path("SpateKillPoint"),
            [place.description, program] + arguments,
            // The leak check at a program's end does not work under a tracer.
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

/// File calls of a program's run, each in its turn, a run for each.
enum KillWalk {
    /// Has `run` kill at every third call, or as `each` says, until one ends by itself, and at each of `steps`.
    ///
    /// Worlds of the simulation end at any call, by the thousand, so the real processes of one test run take a third of the
    /// calls. Chance decides which, and so several test runs meet all.
    ///
    /// On a busy machine a block may be written in two pieces, and numbers then mean other calls: named steps are always
    /// met. There a small file may even have a part, which is renamed and not linked, so a step that is not met is tried
    /// again. If that does not help it is a failure: the walk would test less than it says.
    static func points(
        and steps: [String],
        each stride: Int = 3,
        endingWith status: Int32 = 0,
        _ run: @escaping @Sendable (KillPoint.Place) async throws -> KillPoint.Outcome
    ) async throws {
        let last = Locked(.random(in: 1...stride) - stride)
        let stepsLeft = Locked(steps)
        try await together(0..<4) { _ in
            while let step = stepsLeft.withLock({ $0.popLast() }) {
                var outcome = try await run(.step(step))
                for _ in 0..<10 where outcome != .killed(step) { outcome = try await run(.step(step)) }
                #expect(outcome == .killed(step))
            }
            while true {
                let number = last.withLock { last in
                    last += stride
                    return last
                }
                // A program that never ends by itself would be walked for ever.
                guard number < 1_000 else { throw SystemError("the end of the walk", number: ELOOP) }
                guard case .ended(let found) = try await run(.number(number)) else { continue }
                #expect(found == status, "at \(number)")
                return
            }
        }
    }
}
