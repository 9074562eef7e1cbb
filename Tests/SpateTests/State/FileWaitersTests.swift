import Foundation
import Locking
import TestSupport
import Testing

@testable import Spate

@Suite struct FileWaitersTests {
    private typealias Outcome = Result<URL, any Error>

    private let file = URL(fileURLWithPath: "/file")

    /// Waits with a ticket of its own as a download's `file` does.
    private func waiter(
        _ ticket: FileWaiters.Ticket,
        in waiters: Locked<FileWaiters>,
        isAdded: Recorder<Bool>
    ) -> Task<URL, any Error> {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                let waits = waiters.withLock { $0.add(continuation, ticket: ticket) }
                if !waits { continuation.resume(throwing: CancellationError()) }
                isAdded.append(waits)
            }
        }
    }

    @Test func everyWaiterIsTakenOnceAtTheEnd() async throws {
        let waiters = Locked(FileWaiters())
        let isAdded = Recorder<Bool>()
        let tasks = (0..<10).map { _ in
            waiter(waiters.withLock { $0.ticket() }, in: waiters, isAdded: isAdded)
        }
        try await isAdded.wait(forCount: 10)
        let taken = waiters.withLock { $0.takeAll() }
        #expect(taken.count == 10)
        #expect(waiters.withLock { $0.takeAll() }.isEmpty)
        for continuation in taken { continuation.resume(returning: file) }
        for task in tasks { #expect(try await task.value == file) }
    }

    @Test func aCancelledWaiterIsHandedOutAloneAndOnlyOnce() async throws {
        let waiters = Locked(FileWaiters())
        let isAdded = Recorder<Bool>()
        let (first, second) = waiters.withLock { ($0.ticket(), $0.ticket()) }
        #expect(first != second)
        let cancelled = waiter(first, in: waiters, isAdded: isAdded)
        let patient = waiter(second, in: waiters, isAdded: isAdded)
        try await isAdded.wait(forCount: 2)
        let removed = waiters.withLock { $0.remove(first) }
        removed?.resume(throwing: CancellationError())
        #expect(removed != nil)
        #expect(waiters.withLock { $0.remove(first) } == nil)
        for continuation in waiters.withLock({ $0.takeAll() }) { continuation.resume(returning: file) }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await patient.value == file)
    }

    @Test func aTicketCancelledBeforeItsTaskWaitsIsRefused() async throws {
        let waiters = Locked(FileWaiters())
        let isAdded = Recorder<Bool>()
        let ticket = waiters.withLock { $0.ticket() }
        #expect(waiters.withLock { $0.remove(ticket) } == nil)
        let task = waiter(ticket, in: waiters, isAdded: isAdded)
        try await isAdded.wait(forCount: 1)
        let early = waiters.withLock { $0.takeAll() }
        for continuation in early { continuation.resume(returning: file) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(isAdded.values == [false])
    }
}
