import SpateLocking
import SpatePartialFiles
import SpateTiming

/// One call of the program's `prepare`, in its own task. It ends once: with the call's result, or by a cancellation,
/// which does not wait for the call.
final class Preparation: Sendable {
    private struct State {
        /// nil after the end.
        var end: End?
        var task: Task<Void, Never>?
    }

    /// Called with `nil` after a cancellation, on the canceller's thread; otherwise on the task's.
    typealias End = @Sendable (Result<DownloadRequest, any Error>?) -> Void

    private let state: Locked<State>

    init(whenEnded end: @escaping End) {
        state = Locked(State(end: end))
    }

    /// Calls `prepare`, unless this was cancelled.
    func begin(on runtime: Runtime, _ prepare: @escaping @Sendable () async throws -> DownloadRequest) {
        guard state.withLock({ $0.end != nil }) else { return }
        let task = Task(executorPreference: runtime.executor) { [self] in
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
        // It ended before its task was known. Only a cancellation leaves something to stop.
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

extension Attempt {
    typealias Prepare = @Sendable (DownloadRequest, DownloadAttempt) async throws -> DownloadRequest

    /// Lets the program prepare the request, then continues. A cancellation does not wait for that.
    func prepare(_ file: PartialFile, by prepare: @escaping Prepare) {
        let request = download.request
        let attempt = DownloadAttempt(number: number, previousError: download.previousError)
        // Not on the task's thread, which belongs to the program, nor on the canceller's.
        let preparation = Preparation { [self] result in
            afterWait { self.goOn(into: file, with: result, for: request) }
        }
        let begin = { preparation.begin(on: self.runtime) { try await prepare(request, attempt) } }
        wait(for: begin, endingBy: preparation.cancel)
    }

    /// - Parameter prepared: the program's result; `nil` if the attempt was cancelled before.
    private func goOn(
        into file: PartialFile,
        with prepared: Result<DownloadRequest, any Error>?,
        for enqueued: DownloadRequest
    ) {
        do throws(DownloadError) {
            switch prepared {
            case .success(let prepared): fetch(into: file, try PreparedRequest(prepared, for: enqueued, request.url))
            case .failure(let error): throw DownloadError(preparingFailed: error)
            case nil: close(file, .cancelled)
            }
        } catch {
            close(file, .failed(FetchFailure(error)))
        }
    }
}
