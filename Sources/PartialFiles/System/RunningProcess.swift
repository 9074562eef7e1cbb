package import Glibc
import Locking

/// A process, and what it has to do before it exits.
package final class RunningProcess: Sendable {
    private struct State {
        var lastManager: UInt64 = 0
        /// Its managers that live.
        var managers: Set<UInt64> = []
        var exits: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    /// This one.
    package static let this: RunningProcess = {
        atexit { RunningProcess.this.exit() }
        return RunningProcess(getpid())
    }()

    /// Its number. A forked child has another.
    package let number: pid_t
    let spoiledFiles = SpoiledFiles()
    private let state = Locked(State())

    package init(_ number: pid_t) {
        self.number = number
    }

    /// Has a closure called before the process exits, unless that is killed, or the object was forgotten.
    package func atExit(of object: AnyObject, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.exits[ObjectIdentifier(object)] = body }
    }

    package func forgetExit(of object: AnyObject) {
        let body = state.withLock { $0.exits.removeValue(forKey: ObjectIdentifier(object)) }
        // It may be the last that holds the object.
        withExtendedLifetime(body) {}
    }

    /// The process exits.
    package func exit() {
        // A forked child has no part in what its parent does.
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
