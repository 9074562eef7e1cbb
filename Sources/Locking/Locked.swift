import Foundation

/// A value behind a lock: the one way in which threads share mutable state here.
///
/// `Synchronization.Mutex` would do without Foundation, but it makes the thread sanitizer report races that are none
/// on this platform, and it measured slower.
package final class Locked<Value>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` alone with the value. Keep it short, and call nothing in it that may take this lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
