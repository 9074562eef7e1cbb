import Foundation
import Glibc
import SpateConsole

/// Kills a process during a download and lets another one continue. Holds the measurements.
struct DemoKill: Sendable, Equatable {
    /// Whether the first process was ended by SIGKILL.
    var wasKilled = false
    /// The size of the partial file afterwards.
    var kept = 0
    /// The exit code of the second process.
    var exitCode: Int32 = -1

    /// Starts this program as a child process, twice.
    ///
    /// - Returns: `nil` if a signal stopped the demo.
    static func play(_ file: DemoFile, url: String, in folder: PrivateFolder) throws -> DemoKill? {
        var kill = DemoKill()
        let first = try child(["get", "-q", "--retries", "3", "-d", folder.path, url])
        // The server stops at half of the file, so the process can't finish before it is killed.
        let deadline = ContinuousClock.now + .seconds(120)
        while first.isRunning, SignalWatch.received == nil, .now < deadline {
            if folder.partialSize(of: file.name) >= file.half { break }
            usleep(20_000)
        }
        Glibc.kill(first.processIdentifier, SIGKILL)
        first.waitUntilExit()
        kill.wasKilled = first.terminationReason == .uncaughtSignal && first.terminationStatus == SIGKILL
        kill.kept = folder.partialSize(of: file.name)
        guard SignalWatch.received == nil else { return nil }

        let second = try child(["resume", "-q", "--retries", "3", "-d", folder.path])
        while second.isRunning, SignalWatch.received == nil { usleep(20_000) }
        if SignalWatch.received != nil { Glibc.kill(second.processIdentifier, SIGKILL) }
        second.waitUntilExit()
        kill.exitCode = second.terminationReason == .exit ? second.terminationStatus : 128 + second.terminationStatus
        return SignalWatch.received == nil ? kill : nil
    }

    private static func child(_ arguments: [String]) throws -> Process {
        let process = Process()
        // This link works even if the program's file was renamed or deleted.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe", isDirectory: false)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
