import Foundation
import TestSupport

/// One run of a program under the stopwatch.
final class StopwatchRun: Sendable {
    private let process: MeasuredProcess

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: where the program leaves files that must be synced after it; part of the work.
    ///   - scratch: where it keeps what is temporary: on the medium that is measured, as its files are.
    ///   - diskSpeed: what the disk takes in a second, if it is to be slow.
    init(
        _ program: String,
        _ arguments: [String],
        flushing folder: String? = nil,
        scratch: String,
        diskSpeed: Int? = nil
    ) throws {
        var wrapper: [String] = []
        if let diskSpeed { wrapper += [try BuiltProgram.path("SlowDisk"), "\(diskSpeed)"] }
        if let folder { wrapper += ["/bin/sh", "-c", #""$@" && sync --data "$0"/*"#, folder] }
        // A proxy, or a debugging aid, is no part of the work.
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.lowercased().hasSuffix("_proxy") && !name.hasPrefix("LD_")
        }
        environment["TMPDIR"] = scratch
        process = try MeasuredProcess(
            program,
            arguments,
            through: wrapper,
            environment: environment,
            folder: scratch
        )
    }

    /// Kills the program with SIGKILL; what it took until then is still reported.
    func kill() {
        process.stopwatch.send(SIGTERM)
    }

    /// Kills the program, and returns when it has gone, whatever became of this task.
    func abandon() async {
        kill()
        _ = try? await Task { [process] in try await process.stopwatch.waitForExit() }.value
    }

    /// Returns when the condition holds; throws when the program has ended before. Looks every few milliseconds.
    func wait(until condition: () -> Bool, orFailWith failure: String) async throws {
        do {
            while !condition() {
                guard access("/proc/\(process.stopwatch.pid)", F_OK) == 0 else { throw WorkFailure(failure) }
                try await Task.sleep(for: .milliseconds(3))
            }
        } catch {
            await abandon()
            throw error
        }
    }

    /// What it took, when it has ended as it should.
    ///
    /// When the task is cancelled the program is killed first, and has ended when this throws.
    func cost(endsWith expected: ChildProcess.Exit = .status(0)) async throws -> RunCost {
        let (exit, cost): (ChildProcess.Exit, RunCost?)
        do {
            (exit, cost) = try await process.end()
        } catch {
            await abandon()
            throw error
        }
        guard exit == expected else {
            let said = (process.stopwatch.errors + process.stopwatch.output).suffix(400).trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            throw WorkFailure("it ended with \(exit)" + (said.isEmpty ? "" : ": \(said)"))
        }
        guard let cost else { throw WorkFailure("nothing was measured") }
        return cost
    }
}
