import Foundation
import Locking
import TestSupport

/// Every file call of a program's run in its turn, a run for each.
enum KillWalk {
    /// Has `run` kill at the first call, the second and so on, four at a time, until one ends by itself.
    ///
    /// - Returns: every call at which a run was killed.
    static func everyPoint(
        endingWith status: Int32 = 0,
        _ run: @escaping @Sendable (Int) async throws -> KillPoint.Outcome
    ) async throws -> Set<String> {
        let next = Locked(1)
        return try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var calls: Set<String> = []
                    while true {
                        let point = next.withLock { point in
                            defer { point += 1 }
                            return point
                        }
                        // A program that never ends by itself is not walked for ever.
                        guard point < 1_000 else { throw SystemError("the end of the walk", number: ELOOP) }
                        switch try await run(point) {
                        case .killed(let call): calls.insert(call)
                        case .ended(status): return calls
                        case .ended(let other): throw SystemError("status \(other) at \(point)", number: EINVAL)
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    /// Runs `body` for each pair, four at a time.
    static func pairs(
        _ first: [Int],
        _ second: [Int],
        _ body: @escaping @Sendable (Int, Int) async throws -> Void
    ) async throws {
        let pairs = Locked(first.flatMap { first in second.map { (first, $0) } })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while let (first, second) = pairs.withLock({ $0.popLast() }) { try await body(first, second) }
                }
            }
            try await group.waitForAll()
        }
    }
}
