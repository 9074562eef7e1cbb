import SpateLocking

/// Runs the cases of a test four at a time, in the one turn of the test: for cases that do little but wait.
package func together<Case: Sendable>(
    _ cases: some Sequence<Case>,
    _ body: @escaping @Sendable (Case) async throws -> Void
) async throws {
    let left = Locked(Array(cases.reversed()))
    try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
            group.addTask {
                while let next = left.withLock({ $0.popLast() }) { try await body(next) }
            }
        }
        try await group.waitForAll()
    }
}
