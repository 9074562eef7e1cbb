public import Glibc

/// A value protected by a lock. All mutable state that threads share is in one of these. Copies share the value.
///
/// One allocation holds the value and the lock. `NSLock` makes four, 200 bytes, and every download has several locks.
/// On this platform the thread sanitizer reports false races for `Synchronization.Mutex`, which also measured slower.
public struct Locked<Value>: Sendable {
    // Its content is accessed only under its own mutex.
    @usableFromInline nonisolated(unsafe) let box: ManagedBuffer<pthread_mutex_t, Value>
    #if DEBUG
        @usableFromInline let rank: LockRank?
    #endif

    /// - Parameter rank: the place in the order of locks; `nil` if no other lock is taken while this one is held.
    @inlinable
    public init(_ value: sending Value, _ rank: LockRank? = nil) {
        #if DEBUG
            self.rank = rank
        #endif
        box = LockedBox<Value>.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        let (mutex, content) = box.withUnsafeMutablePointers { ($0, $1) }
        pthread_mutex_init(mutex, nil)
        // Not in a closure, which would copy it: some values are large.
        content.initialize(to: value)
    }

    /// Runs `body` with exclusive access to the value. Keep it short, and do not take this lock in it again.
    // Public, because the compiler does not inline `package` functions into other modules: each use there would call
    // unspecialised code, at several times the cost of the lock.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try box.withUnsafeMutablePointers { mutex, value throws(Failure) in
            #if DEBUG
                HeldRanks.take(rank)
                defer { HeldRanks.leave(rank) }
            #endif
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
}

@usableFromInline
final class LockedBox<Value>: ManagedBuffer<pthread_mutex_t, Value> {
    @inlinable
    deinit {
        withUnsafeMutablePointers { mutex, value in
            value.deinitialize(count: 1)
            pthread_mutex_destroy(mutex)
        }
    }
}
