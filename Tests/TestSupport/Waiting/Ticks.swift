import Foundation

/// How long it takes from a call until something is over, in ticks of a thread of at least a millisecond: when the machine
/// lets that wait, the tick is longer, and nothing is held against what it waits for, which waits then, too.
package func ticks(
    until isOver: @escaping @Sendable () -> Bool,
    after call: @escaping @Sendable () -> Void
) async -> Int {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            call()
            var count = 0
            while !isOver(), count < 10_000 {
                usleep(1_000)
                count += 1
            }
            continuation.resume(returning: count)
        }
    }
}
