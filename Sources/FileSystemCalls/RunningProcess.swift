import Glibc
import SpateExtendedAttributes
package import SpateLocking

/// A process, and its work before exit.
package final class RunningProcess: Sendable {
    private struct State {
        var lastManager: UInt64 = 0
        /// Its living managers.
        var managers: Set<UInt64> = []
        var exits: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    /// This process.
    package static let this: RunningProcess = {
        atexit { RunningProcess.this.exit() }
        return RunningProcess(getpid())
    }()

    /// The process number. A forked child has another.
    package let number: CInt
    /// Its files that could be neither truncated nor removed after a failed sync.
    ///
    /// Their bytes are readable, and the next sync succeeds, but some may never reach the disk. Only this process knows.
    package let spoiledFiles = Locked<Set<FileStatus.Identity>>([])
    private let state = Locked(State())

    package init(_ number: CInt) {
        self.number = number
    }

    /// Calls a closure before the process exits, unless the process is killed or the object was forgotten.
    package func atExit(of object: AnyObject, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.exits[ObjectIdentifier(object)] = body }
    }

    package func forgetExit(of object: AnyObject) {
        let body = state.withLock { $0.exits.removeValue(forKey: ObjectIdentifier(object)) }
        // The closure may hold the last reference to the object.
        withExtendedLifetime(body) {}
    }

    package func exit() {
        // A forked child must not run its parent's work.
        if self === Self.this, getpid() != number { return }
        for body in state.withLock({ Array($0.exits.values) }) { body() }
    }

    package func hasManager(_ number: UInt64) -> Bool {
        state.withLock { $0.managers.contains(number) }
    }

    package func addManager() -> UInt64 {
        state.withLock { state in
            state.lastManager += 1
            state.managers.insert(state.lastManager)
            return state.lastManager
        }
    }

    package func removeManager(_ number: UInt64) {
        state.withLock { _ = $0.managers.remove(number) }
    }

    /// When a process began; `nil` if it does not run or is a zombie. See proc(5).
    static func start(of process: pid_t) -> UInt64? {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 1) { buffer in
            guard let count = try? SystemCall.run({ read(descriptor, buffer.baseAddress, buffer.count) }) else {
                return nil
            }
            let bytes = buffer[..<count]
            // The program's name, in parentheses, may contain any bytes.
            guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
            return UInt64(String(decoding: fields[19], as: UTF8.self))
        }
    }
}
