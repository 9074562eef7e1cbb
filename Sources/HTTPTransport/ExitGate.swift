import Foundation
import SpateLocking
import Synchronization

/// Keeps the loops out of libcurl, and digests out of its TLS library, once the process exits.
///
/// OpenSSL frees its global state in an `atexit` handler, other TLS libraries in even later destructors. Threads still
/// run then, and a thread inside the library crashes. ``install()`` registers a handler that runs earlier: it lets each
/// loop leave libcurl, and no loop enters it again.
package enum ExitGate {
    private static let isClosed = Atomic<Bool>(false)
    /// The loops that are inside libcurl.
    private static let insiders = Atomic<Int>(0)
    private static let loops = Locked<[ObjectIdentifier: EventLoop]>([:])
    private static let owner = getpid()

    /// libcurl returns within milliseconds. Only versions before 7.87 may wait for a name lookup.
    private static let longestWait: Duration = .seconds(1)

    /// Call it after libcurl has initialised its TLS library, since the last registered handler runs first.
    static func install() {
        _ = owner
        atexit { ExitGate.close() }
    }

    static func add(_ loop: EventLoop) {
        loops.withLock { $0[ObjectIdentifier(loop)] = loop }
    }

    static func remove(_ loop: EventLoop) {
        loops.withLock { $0[ObjectIdentifier(loop)] = nil }
    }

    /// Runs a closure that calls libcurl or its TLS library, for a moment. Does not return once the process exits.
    package static func inside<Result>(_ body: () -> Result) -> Result {
        enter()
        defer { leave() }
        return body()
    }

    /// Runs code of libcurl's callbacks, which may take long, such as a write to a slow disk. The exit does not wait
    /// for it, and it does not return into libcurl once the process exits.
    static func outside<Result>(_ body: () -> Result) -> Result {
        leave()
        defer { enter() }
        return body()
    }

    private static func enter() {
        // Count, then read the flag; `close` sets the flag, then reads the count. One of the two sees the other.
        insiders.add(1, ordering: .sequentiallyConsistent)
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
        leave()
        while true { pause() }
    }

    private static func leave() {
        insiders.subtract(1, ordering: .sequentiallyConsistent)
    }

    private static func close() {
        // A forked child inherits the count, but not the loops.
        guard getpid() == owner else { return }
        isClosed.store(true, ordering: .sequentiallyConsistent)
        for loop in loops.withLock({ Array($0.values) }) { loop.wake() }
        let deadline = ContinuousClock.now + longestWait
        while insiders.load(ordering: .sequentiallyConsistent) > 0, ContinuousClock.now < deadline { usleep(200) }
    }
}
