/// A log of events that any thread may add to, and that a test can wait on.
package final class Recorder<Value: Sendable>: Sendable {
    private let log = Watched<[Value]>([])

    package init() {}

    /// Everything recorded so far, oldest first.
    package var values: [Value] { log.value }

    package func append(_ value: Value) {
        log.update { $0.append(value) }
    }

    /// Returns all the values as soon as they meet the condition, and throws `DeadlineExceeded` when they don't in time.
    @discardableResult
    package func wait(
        for awaited: String = "a condition on the recorded values",
        until condition: @escaping @Sendable ([Value]) -> Bool,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> [Value] {
        try await log.wait(for: awaited, until: condition, fileID: fileID, line: line)
    }

    /// Returns all the values as soon as there are this many.
    @discardableResult
    package func wait(forCount count: Int, fileID: String = #fileID, line: Int = #line) async throws -> [Value] {
        try await wait(for: "\(count) recorded values", until: { $0.count >= count }, fileID: fileID, line: line)
    }
}
