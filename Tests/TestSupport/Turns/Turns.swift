import Foundation
import SpateLocking

/// Lets only so much be done at a time: the rest waits, without a thread, and goes on in the order in which it came.
package final class Turns: Sendable {
    /// Of the tests of this process that work: as many as it may use cores.
    package static let toWork = Turns(atATime: ProcessInfo.processInfo.activeProcessorCount)
    /// Turns of tests that mostly wait. Under a sanitizer all of them work.
    package static let toWait = Sanitizer.isPresent ? toWork : Turns(atATime: 3 * toWork.atATime)

    /// How much may be done at a time.
    package let atATime: Int

    private struct Waiter {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Inside {
        /// How many have their turn.
        var count = 0
        var waiters: [Waiter] = []
        var lastTicket = 0
    }

    private let inside = Locked(Inside())

    package init(atATime: Int) {
        self.atATime = max(1, atATime)
    }

    /// Waits for its turn, and has it until the work ends.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn; otherwise what the work throws.
    package func take<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await wait()
        defer { change { $0.count -= 1 } }
        return try await work()
    }

    /// How many wait for their turn now.
    package var waiting: Int { inside.withLock { $0.waiters.count } }

    private func wait() async throws {
        let ticket = inside.withLock { inside in
            inside.lastTicket += 1
            return inside.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.waiters.append(Waiter(ticket: ticket, continuation: continuation)) }
                // The handler may have come before there was anybody to dismiss.
                if Task.isCancelled { dismiss(ticket) }
            }
        } onCancel: {
            dismiss(ticket)
        }
    }

    private func dismiss(_ ticket: Int) {
        let dismissed = inside.withLock { inside in
            inside.waiters.firstIndex { $0.ticket == ticket }.map { inside.waiters.remove(at: $0) }
        }
        dismissed?.continuation.resume(throwing: CancellationError())
    }

    /// Changes who has a turn or waits, and then lets those go on for whom there is room now.
    private func change(_ body: (inout Inside) -> Void) {
        let called = inside.withLock { inside in
            body(&inside)
            let called = inside.waiters.prefix(atATime - inside.count)
            inside.waiters.removeFirst(called.count)
            inside.count += called.count
            return called
        }
        for waiter in called { waiter.continuation.resume() }
    }
}

extension Turns {
    /// Reports a test that uses something for which tests take turns, and has none.
    static func expect(for use: String) {
        #if canImport(Testing)
            TurnsTrait.expectTurn(for: use)
        #endif
    }
}
