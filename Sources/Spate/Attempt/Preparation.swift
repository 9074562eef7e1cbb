import Locking

/// One call of the program's `prepare`, in a task of its own. It ends once: with what that returned or threw, or by being
/// cancelled, which does not wait for the call.
final class Preparation: Sendable {
    private struct State {
        /// Gone when it has ended.
        var end: End?
        var task: Task<Void, Never>?
    }

    /// Called with `nil` after a cancellation, on the canceller's thread, and else on the task's.
    typealias End = @Sendable (Result<DownloadRequest, any Error>?) -> Void

    private let state: Locked<State>

    init(whenEnded end: @escaping End) {
        state = Locked(State(end: end))
    }

    /// Calls `prepare`, unless this was cancelled.
    func begin(_ prepare: @escaping @Sendable () async throws -> DownloadRequest) {
        guard state.withLock({ $0.end != nil }) else { return }
        let task = Task {
            do {
                end(.success(try await prepare()))
            } catch {
                end(.failure(error))
            }
        }
        let isOver = state.withLock { state in
            if state.end != nil { state.task = task }
            return state.end == nil
        }
        // It ended before its task was known. Only a cancellation left anything to stop.
        if isOver { task.cancel() }
    }

    /// Ends it, and cancels the task.
    func cancel() {
        let state = take()
        state.end?(nil)
        state.task?.cancel()
    }

    private func end(_ result: Result<DownloadRequest, any Error>) {
        take().end?(result)
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
