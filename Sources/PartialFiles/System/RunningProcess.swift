package import Glibc
import Locking

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
    package let number: pid_t
    let spoiledFiles = SpoiledFiles()
    private let state = Locked(State())

    package init(_ number: pid_t) {
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

    func hasManager(_ number: UInt64) -> Bool {
        state.withLock { $0.managers.contains(number) }
    }

    func addManager() -> UInt64 {
        state.withLock { state in
            state.lastManager += 1
            state.managers.insert(state.lastManager)
            return state.lastManager
        }
    }

    func removeManager(_ number: UInt64) {
        state.withLock { _ = $0.managers.remove(number) }
    }
}
