import Foundation
import Locking

/// Lets only so much be done at a time: the rest waits, without a thread, and goes on in the order in which it came.
package final class Turns: Sendable {
    /// What the tests of this process share: as many turns as it may use cores.
    package static let ofThisProcess = Turns(atATime: ProcessInfo.processInfo.activeProcessorCount)

    /// How much may be done at a time.
    package let atATime: Int

    private struct Waiter {
        let ticket: Int
        let isAlone: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Inside {
        /// How many have their turn, and whether that is one alone.
        var working = 0
        var isAlone = false
        var waiters: [Waiter] = []
        var lastTicket = 0
    }

    private let inside = Locked(Inside())

    package init(atATime: Int) {
        self.atATime = max(1, atATime)
    }

    /// Waits for its turn, and has it until the work ends.
    ///
    /// What comes later waits behind it, even where there would be room: so what needs all the room gets it in time.
    ///
    /// - Parameter isAlone: whether nothing else may have its turn meanwhile.
    /// - Throws: `CancellationError` when the task is cancelled before its turn; otherwise what the work throws.
    package func take<Result>(alone isAlone: Bool = false, _ work: () async throws -> Result) async throws -> Result {
        try await wait(alone: isAlone)
        defer { leave() }
        return try await work()
    }

    /// How many wait for their turn now.
    package var waiting: Int { inside.withLock { $0.waiters.count } }

    /// Whether what has its turn now is alone.
    package var isAlone: Bool { inside.withLock { $0.isAlone } }

    private func wait(alone isAlone: Bool) async throws {
        let ticket = inside.withLock { inside in
            inside.lastTicket += 1
            return inside.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.waiters.append(Waiter(ticket: ticket, isAlone: isAlone, continuation: continuation)) }
                // The handler may have come before there was anybody to dismiss.
                if Task.isCancelled { dismiss(ticket) }
            }
        } onCancel: {
            dismiss(ticket)
        }
    }

    private func leave() {
        change { inside in
            inside.working -= 1
            inside.isAlone = false
        }
    }

    private func dismiss(_ ticket: Int) {
        var dismissed: Waiter?
        change { inside in
            guard let index = inside.waiters.firstIndex(where: { $0.ticket == ticket }) else { return }
            dismissed = inside.waiters.remove(at: index)
        }
        dismissed?.continuation.resume(throwing: CancellationError())
    }

    /// Changes who works or waits, and then lets those go on for whom there is room now.
    private func change(_ body: (inout Inside) -> Void) {
        let called = inside.withLock { inside in
            body(&inside)
            var called: [Waiter] = []
            while let next = inside.waiters.first, !inside.isAlone, inside.working < (next.isAlone ? 1 : atATime) {
                inside.working += 1
                inside.isAlone = next.isAlone
                called.append(inside.waiters.removeFirst())
            }
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
