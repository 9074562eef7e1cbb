extension Duration {
    /// How long a test waits before it calls the wait a hang.
    ///
    /// Deadlines are for hangs alone: a healthy run stays far below, on a busy machine and under a sanitizer too.
    package static let hang = Duration.seconds(600)

    /// A limit of seconds is raised to `hang`. Only the tests of waiting itself name less than a second.
    var raisedToHang: Duration { self < .seconds(1) ? self : max(self, .hang) }
}

/// Runs something that must end, and throws `DeadlineExceeded` when it hangs.
///
/// At the deadline the operation's task is cancelled and left behind, so that one which ignores cancellation cannot hang
/// the test.
package func withDeadline<Result: Sendable>(
    _ limit: Duration = .hang,
    for awaited: String = "the operation's end",
    fileID: String = #fileID,
    line: Int = #line,
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let outcome = Watched<Swift.Result<Result, any Error>?>(nil)
    let task = Task {
        do {
            let result = try await operation()
            outcome.update { $0 = .success(result) }
        } catch {
            outcome.update { $0 = .failure(error) }
        }
    }
    defer { task.cancel() }
    let ended = try await outcome.wait(for: awaited, until: { $0 != nil }, within: limit, fileID: fileID, line: line)
    guard let ended else { throw CancellationError() }
    return try ended.get()
}

/// Waits for something that has no event, such as what `/proc` says: looks again every few milliseconds.
///
/// Where there is an event, wait for that instead.
package func eventually(
    _ claim: String,
    fileID: String = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .hang
    while try await !condition() {
        guard ContinuousClock.now < end else {
            throw DeadlineExceeded(awaited: claim, limit: .hang, found: nil, place: "\(fileID):\(line)")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// A test waited for something that did not happen: a hang.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let awaited: String
    package let limit: Duration
    /// What was there instead when the time was up, if the wait could see it.
    package let found: String?
    package let place: String

    package var description: String {
        let instead = found.map { "; there was \($0)" } ?? ""
        return "\(place): waited \(limit) for \(awaited)\(instead)"
    }
}
