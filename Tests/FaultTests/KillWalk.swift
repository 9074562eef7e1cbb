import Foundation
import Locking
import TestSupport
import Testing

/// Every file call of a program's run in its turn, a run for each.
enum KillWalk {
    /// Has `run` kill at the first call, the second and so on until one ends by itself, and at each of `steps`.
    ///
    /// A busy machine writes a block in two, and a count then leads elsewhere: what has a name is met whatever happens. It
    /// is a failure where a step is not met, for then the walk tests less than it says.
    static func everyPoint(
        and steps: [String],
        endingWith status: Int32 = 0,
        _ run: @escaping @Sendable (KillPoint.Place) async throws -> KillPoint.Outcome
    ) async throws {
        let last = Locked(0)
        let stepsLeft = Locked(steps)
        try await fourAtATime {
            while let step = stepsLeft.withLock({ $0.popLast() }) {
                let outcome = try await run(.step(step))
                #expect(outcome == .killed(step))
            }
            while true {
                let number = last.withLock { last in
                    last += 1
                    return last
                }
                // A program that never ends by itself is not walked for ever.
                guard number < 1_000 else { throw SystemError("the end of the walk", number: ELOOP) }
                guard case .ended(let found) = try await run(.number(number)) else { continue }
                #expect(found == status, "at \(number)")
                return
            }
        }
    }

    /// Runs `body` for each pair, four at a time.
    static func pairs(
        _ first: [Int],
        _ second: [Int],
        _ body: @escaping @Sendable (Int, Int) async throws -> Void
    ) async throws {
        let pairs = Locked(first.flatMap { first in second.map { (first, $0) } })
        try await fourAtATime {
            while let (first, second) = pairs.withLock({ $0.popLast() }) { try await body(first, second) }
        }
    }

    /// For most of it is waiting.
    private static func fourAtATime(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await body() } }
            try await group.waitForAll()
        }
    }
}
