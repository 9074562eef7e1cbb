import Foundation

/// A program run under the stopwatch, which measures what it took.
///
/// The kernel counts into a program's peak what its parent had resident, and looking at a running program now and then
/// misses what happens between two looks. The stopwatch is a small parent that misses nothing.
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
            BuiltProgram.path("SpateStopwatch"),
            [notes.path("figures")] + wrapper + [path] + arguments,
            environment: environment,
            folder: folder
        )
    }

    /// Returns how the program ended and what it took, when it has ended and its output is known. A signal that ended it
    /// is reported as a shell does: as the status 128 plus its number.
    package func end() async throws -> (exit: ChildProcess.Exit, cost: RunCost?) {
        let exit = try await stopwatch.waitForExit()
        return (exit, RunCost(stopwatch: try String(contentsOf: notes.url("figures"), encoding: .utf8)))
    }
}

/// What one run of a program took.
package struct RunCost: Sendable {
    package let wallSeconds: Double
    /// The most that was resident at one time.
    package let peakBytes: Int

    /// Reads the stopwatch's line; `nil` if it is not one.
    init?(stopwatch line: String) {
        let numbers = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 4 else { return nil }
        wallSeconds = Double(numbers[0]) / 1e9
        peakBytes = numbers[3] * 1_024
    }
}
