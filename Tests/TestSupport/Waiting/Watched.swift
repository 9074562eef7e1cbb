import Dispatch
import SpateLocking

/// A value that threads change and tests wait for. Each change wakes the waiting tests, without polling.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct Inside {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let inside: Locked<Inside>

    package init(_ value: Value) {
        inside = Locked(Inside(value: value))
    }

    /// The value as it is now.
    package var value: Value { inside.withLock { $0.value } }

    /// Changes the value, alone, and then wakes everyone whose condition it now meets.
    @discardableResult
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, woken, value) = inside.withLock { inside in
            let result = body(&inside.value)
            guard !inside.waiters.isEmpty else { return (result, [Waiter](), Value?.none) }
            let satisfied = inside.waiters.filter { $0.value.isSatisfied(inside.value) }
            for key in satisfied.keys { inside.waiters[key] = nil }
            return (result, Array(satisfied.values), Value?.some(inside.value))
        }
        if let value { for waiter in woken { waiter.continuation.resume(returning: value) } }
        return result
    }

    /// Returns the value as soon as it meets the condition, and throws `DeadlineExceeded` when that takes too long.
    ///
    /// The condition is asked under the value's lock: it must be quick and must not touch this object.
    @discardableResult
    package func wait(
        for awaited: String = "a condition",
        until condition: @escaping @Sendable (Value) -> Bool,
        within limit: Duration = .hang,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> Value {
        let (limit, place) = (limit.raisedToHang, "\(fileID):\(line)")
        let key = inside.withLock { inside in
            inside.lastWaiter += 1
            return inside.lastWaiter
        }
        // The thread sanitizer does not always see that a continuation hands its value over, but it sees a lock.
        defer { inside.withLock { _ in } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(isSatisfied: condition, continuation: continuation)
                if let value = enlist(waiter, as: key) { return continuation.resume(returning: value) }
                if Task.isCancelled { return dismiss(key) { _ in CancellationError() } }
                DispatchQueue.global().asyncAfter(deadline: .now() + limit.dispatchInterval) { [weak self] in
                    self?.dismiss(key) { value in
                        let found = String(String(describing: value).prefix(1_000))
                        return DeadlineExceeded(awaited: awaited, limit: limit, found: found, place: place)
                    }
                }
            }
        } onCancel: {
            dismiss(key) { _ in CancellationError() }
        }
    }

    /// Returns the value if there is nothing to wait for.
    private func enlist(_ waiter: Waiter, as key: Int) -> Value? {
        inside.withLock { inside in
            if waiter.isSatisfied(inside.value) { return inside.value }
            inside.waiters[key] = waiter
            return nil
        }
    }

    private func dismiss(_ key: Int, with error: (Value) -> any Error) {
        let (waiter, value) = inside.withLock { ($0.waiters.removeValue(forKey: key), $0.value) }
        waiter?.continuation.resume(throwing: error(value))
    }
}

extension Duration {
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
