public import Glibc

/// A value behind a lock: the one way in which threads share mutable state here. Copies share one value.
///
/// One allocation holds both: `NSLock` makes four for itself, 200 bytes that every download would pay more than once.
/// `Synchronization.Mutex` makes the thread sanitizer report races that are none on this platform, and it measured
/// slower.
public struct Locked<Value>: Sendable {
    // All that is in it is touched under its own mutex.
    @usableFromInline nonisolated(unsafe) let box: ManagedBuffer<Value, pthread_mutex_t>

    @inlinable
    public init(_ value: sending Value) {
        box = LockedBox<Value>.create(minimumCapacity: 1) { _ in value }
        box.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }
    }

    /// Runs `body` alone with the value. Keep it short, and call nothing in it that may take this lock again.
    // Public, as this type is, because the compiler takes no `package` body over into another module: there each use
    // would go through code that works for any type, at several times the cost of the lock.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try box.withUnsafeMutablePointers { value, mutex throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
}

@usableFromInline
final class LockedBox<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    @inlinable
    deinit {
        withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) }
    }
}
