import Foundation

/// A program run under the stopwatch, which tells what it took.
///
/// Whoever starts a program from a process with Foundation in it, and asks the kernel afterwards, is told that process's
/// own memory; whoever looks at the running program now and then sees nothing of one that has ended between two looks.
/// The stopwatch is a small program in between, and misses nothing.
package final class MeasuredProcess: Sendable {
    /// The stopwatch itself: it says and ends as the program does. `SIGTERM` makes it kill the program.
    package let stopwatch: ChildProcess
    private let notes: TemporaryFolder

    /// Starts a program by its path; see `ChildProcess` for the rest. The caller's target depends on `Stopwatch`.
    ///
    /// - Parameter wrapper: what the stopwatch runs the program through, with its arguments.
    package init(
        _ path: String,
        _ arguments: [String] = [],
        through wrapper: [String] = [],
        environment: [String: String]? = nil,
        folder: String? = nil
    ) throws {
        notes = try TemporaryFolder()
        stopwatch = try ChildProcess(
            BuiltProgram.path("Stopwatch"),
            [notes.path("figures")] + wrapper + [path] + arguments,
            environment: environment,
            folder: folder
        )
    }

    /// Returns how the program ended, when it has and all that it said is known, with what it took. A signal that ended
    /// it is told as a shell tells it, by a status of 128 more.
    package func end(within limit: Duration = .hang) async throws -> (exit: ChildProcess.Exit, cost: RunCost?) {
        let exit = try await stopwatch.waitForExit(within: limit)
        return (exit, RunCost(stopwatch: try String(contentsOf: notes.url("figures"), encoding: .utf8)))
    }
}
