/// Runs the cases of a test at the same time, in the one turn of the test: for cases that do little but wait.
package func together<Case: Sendable>(
    _ cases: some Sequence<Case>,
    _ body: @escaping @Sendable (Case) async throws -> Void
) async throws {
    try await withThrowingTaskGroup { group in
        for element in cases { group.addTask { try await body(element) } }
        try await group.waitForAll()
    }
}
