import Foundation

/// One run of a program under the stopwatch, a small parent that measures what it took.
final class StopwatchRun: Sendable {
    private let stopwatch: Child
    private let notes: TemporaryFolder

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: where the program leaves files that must be synced after it; part of the work.
    ///   - scratch: where it keeps what is temporary: on the medium that is measured, as its files are.
    ///   - diskSpeed: the bytes per second of a slowed disk.
    ///   - entrance: what the stopwatch's command begins with; it does not count.
    init(
        _ program: String,
        _ arguments: [String],
        flushing folder: String? = nil,
        scratch: String,
        diskSpeed: Int? = nil,
        through entrance: [String] = []
    ) throws {
        var wrapper: [String] = []
        if let diskSpeed { wrapper += [try ProgramPath.built("slow-disk"), "\(diskSpeed)"] }
        if let folder { wrapper += ["/bin/sh", "-c", #""$@" && sync --data "$0"/*"#, folder] }
        // A proxy, or a debugging aid, is no part of the work.
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.lowercased().hasSuffix("_proxy") && !name.hasPrefix("LD_")
        }
        environment["TMPDIR"] = scratch
        notes = try TemporaryFolder()
        let command =
            entrance + [try ProgramPath.built("stopwatch"), notes.path("figures")] + wrapper + [program] + arguments
        stopwatch = try Child(
            command[0],
            Array(command.dropFirst()),
            environment: environment,
            folder: scratch
        )
    }

    /// Lets the program begin, kills it after a while, and returns what it took. Throws if it has ended before.
    func kill(after time: Duration, hasBegun: () -> Bool) async throws -> RunCost {
        do {
            while stopwatch.isRunning, !hasBegun() { try await Task.sleep(for: .milliseconds(3)) }
            try await Task.sleep(for: time)
        } catch {
            await abandon()
            throw error
        }
        stopwatch.terminate()
        return try await cost(endsWith: 128 + SIGKILL)
    }

    /// Kills the program, and returns when it has gone, whatever became of this task.
    private func abandon() async {
        stopwatch.terminate()
        _ = try? await Task { [stopwatch] in try await stopwatch.end() }.value
    }

    /// What it took, when it has ended as it should.
    ///
    /// When the task is cancelled the program is killed first, and has ended when this throws.
    func cost(endsWith expected: Int32 = 0) async throws -> RunCost {
        let end = try await end()
        guard end.status == expected else { throw WorkFailure(end.text) }
        return end.cost
    }

    /// How a program ended.
    struct End {
        let status: Int32
        let cost: RunCost
        /// Whether it was killed for the time that it took.
        let isOverLimit: Bool
        /// The last of what it said.
        let said: String

        var text: String { "it ended with \(status)" + (said.isEmpty ? "" : ": \(said)") }
    }

    /// Waits for the end, and kills the program after a while.
    ///
    /// When the task is cancelled the program is killed first, and has ended when this throws.
    func end(within limit: Duration? = nil) async throws -> End {
        let status: Int32
        var isOverLimit = false
        do {
            if let limit {
                let end = ContinuousClock.now + limit
                while stopwatch.isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
                isOverLimit = stopwatch.isRunning
                if isOverLimit { stopwatch.terminate() }
            }
            status = try await stopwatch.end()
        } catch {
            await abandon()
            throw error
        }
        let said = (stopwatch.errors + stopwatch.output).suffix(400).trimmingCharacters(in: .whitespacesAndNewlines)
        let line = (try? String(contentsOf: notes.url("figures"), encoding: .utf8)) ?? ""
        guard let cost = RunCost(stopwatch: line) else {
            throw WorkFailure("nothing was measured" + (said.isEmpty ? "" : ": \(said)"))
        }
        // It may have ended just then.
        isOverLimit = isOverLimit && status == 128 + SIGKILL
        return End(status: status, cost: cost, isOverLimit: isOverLimit, said: said)
    }
}
