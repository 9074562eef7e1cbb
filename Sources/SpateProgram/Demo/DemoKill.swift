import Foundation
import Glibc

/// The act in which a process is killed and another goes on: what was measured of it.
struct DemoKill: Sendable, Equatable {
    /// Whether SIGKILL ended the first process.
    var wasKilled = false
    /// The size of the partial file after that.
    var kept = 0
    /// What the second process ended with.
    var exitCode: Int32 = -1

    /// Plays it with children of this very program.
    ///
    /// - Returns: `nil` when it was stopped.
    static func play(_ file: DemoFile, url: String, in folder: DemoFolder, stop: DemoStop) throws -> DemoKill? {
        var kill = DemoKill()
        let first = try child(["get", "-q", "--retries", "3", "-d", folder.path, url])
        // Its server stops at half of the file: it can't be done before it is killed.
        let deadline = ContinuousClock.now + .seconds(20)
        while first.isRunning, stop.exitCode == nil, folder.partialSize(of: file.name) < file.half, .now < deadline {
            usleep(20_000)
        }
        Glibc.kill(first.processIdentifier, SIGKILL)
        first.waitUntilExit()
        kill.wasKilled = first.terminationReason == .uncaughtSignal && first.terminationStatus == SIGKILL
        kill.kept = folder.partialSize(of: file.name)
        guard stop.exitCode == nil else { return nil }

        let second = try child(["resume", "-q", "--retries", "3", "-d", folder.path])
        while second.isRunning, stop.exitCode == nil { usleep(20_000) }
        if stop.exitCode != nil { Glibc.kill(second.processIdentifier, SIGKILL) }
        second.waitUntilExit()
        kill.exitCode = second.terminationReason == .exit ? second.terminationStatus : 128 + second.terminationStatus
        return stop.exitCode == nil ? kill : nil
    }

    private static func child(_ arguments: [String]) throws -> Process {
        let process = Process()
        // What the file is called by now, or whether it still has a name, doesn't matter to this link.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe", isDirectory: false)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
