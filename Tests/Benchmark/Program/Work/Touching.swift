import Foundation
import TestSupport

/// What is done before each run, for all programs alike.
enum Touching {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 20)

    /// Writes as many bytes as the run will, deletes them, and lets all disks come to rest.
    ///
    /// On a virtual machine the host pays for the first touch of memory, so the first program would pay for all.
    static func work(of scenario: Scenario, in folder: TemporaryFolder) throws {
        // In few files: see `FetchRace`.
        let files = min(scenario.fileCount, 3)
        for number in 0..<files {
            try Task.checkCancellation()
            try write(scenario.totalBytes / files, to: folder.path("touch-\(number)"))
        }
        for number in 0..<files { unlink(folder.path("touch-\(number)")) }
        sync()
    }

    private static func write(_ bytes: Int, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open of \(path)") }
        defer { close(descriptor) }
        var left = bytes
        while left > 0 {
            let count = Glibc.write(descriptor, zeros, min(left, zeros.count))
            guard count > 0 || errno == EINTR else { throw SystemError("write to \(path)") }
            left -= max(0, count)
        }
    }
}
