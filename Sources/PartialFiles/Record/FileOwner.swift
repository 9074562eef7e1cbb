import ExtendedAttributes
package import Glibc
import Locking

/// The manager whose download a partial file is while no attempt has it open: the download is paused, waits, or is due for
/// a retry. One that has gone, or whose process has, owns nothing.
package struct FileOwner: Hashable, Sendable {
    private let boot: BootID
    private let process: pid_t
    /// When the process began, in ticks since the boot: process numbers are used again.
    private let start: UInt64
    /// Tells the managers of one process apart.
    private let manager: UInt64

    /// A manager of a running process; `nil` if nothing is known of such a process.
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

    /// Whether the manager still lives, as far as can be seen. Of another process only the process can be seen.
    package func isAlive(on platform: Platform) -> Bool {
        guard boot == platform.boot, start == platform.startOfProcess(process) else { return false }
        return process != platform.process.number || platform.process.hasManager(manager)
    }

    /// When a process began; `nil` if it does not run, or only waits for its parent to notice its end. See proc(5).
    static func start(of process: pid_t) -> UInt64? {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 1) { buffer in
            guard let count = try? SystemCall.run({ read(descriptor, buffer.baseAddress, buffer.count) }) else {
                return nil
            }
            let bytes = buffer[..<count]
            // The name of the program, in parentheses, may have any bytes.
            guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
            return UInt64(String(decoding: fields[19], as: UTF8.self))
        }
    }
}

/// Makes a manager the owner of files, until it goes.
package final class Ownership: Sendable {
    /// `nil` where no process can be told from another: then its files are anybody's.
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

    /// From now on it owns nothing, whatever files say.
    package func end() {
        process.removeManager(number)
    }
}
