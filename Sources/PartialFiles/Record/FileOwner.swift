package import Glibc
package import SpateFileSystemCalls

/// The manager that owns a partial file while no attempt has it open: its download is paused, waiting or due for a
/// retry. A manager that has gone owns nothing, nor does an ended process.
package struct FileOwner: Hashable, Sendable {
    private let boot: BootID
    private let process: pid_t
    /// When the process began, in ticks since boot: process numbers are reused.
    private let start: UInt64
    /// Distinguishes the managers of one process.
    private let manager: UInt64

    /// A manager of a running process; `nil` if the process is unknown.
    package init?(process: pid_t, manager: UInt64, on platform: Platform = .native) {
        guard let boot = platform.boot, let start = platform.startOfProcess(process) else { return nil }
        (self.boot, self.process, self.start, self.manager) = (boot, process, start, manager)
    }

    /// Parses `text`, strictly.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, let boot = BootID(String(parts[0])), let process = pid_t(parts[1]), process > 0,
            let start = UInt64(parts[2]), let manager = UInt64(parts[3])
        else { return nil }
        (self.boot, self.process, self.start, self.manager) = (boot, process, start, manager)
        if self.text != text { return nil }
    }

    package var text: String { "\(boot.text) \(process) \(start) \(manager)" }

    /// Whether the manager still lives, as far as visible. For another process, only the process itself is visible.
    package func isAlive(on platform: Platform) -> Bool {
        guard boot == platform.boot, start == platform.startOfProcess(process) else { return false }
        return process != platform.process.number || platform.process.hasManager(manager)
    }
}

/// Makes a manager the owner of files, until it goes.
package final class Ownership: Sendable {
    /// `nil` if processes cannot be told apart. Then anybody may take its files.
    package let owner: FileOwner?
    private let process: RunningProcess
    private let number: UInt64

    package init(on platform: Platform = .native) {
        process = platform.process
        number = process.addManager()
        owner = FileOwner(process: process.number, manager: number, on: platform)
    }

    deinit {
        end()
    }

    /// From now on it owns nothing, whatever the files say.
    package func end() {
        process.removeManager(number)
    }
}
