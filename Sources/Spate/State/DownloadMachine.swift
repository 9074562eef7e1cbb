import Foundation

/// The rules of one download's life, without locks, queues or clocks: an event goes in, actions come out.
///
/// Whoever holds it feeds events under a lock and performs the actions after letting go of it.
struct DownloadMachine {
    /// Tells attempts of one download apart, so that a late word of an old one changes nothing.
    typealias AttemptID = Int

    /// That of a download's first attempt; later ones go on with it, after a pause or a failure.
    static let firstAttempt: AttemptID = 1

    enum Event {
        /// The download is enqueued for the first time.
        case begin
        /// The queue has given this attempt its place.
        case attemptStarted(AttemptID)
        /// The attempt failed; `reached` is how much of the file is on disk after it.
        case attemptFailed(AttemptID, DownloadError, reached: Int64, retryAfter: Duration?)
        /// The file is in place.
        case attemptFinished(AttemptID, URL)
        /// The time of a retry has come.
        case retryDue(AttemptID)
        case pause
        case resume
        case cancel
        /// It ends without an attempt: the file was there already, or the request cannot be met.
        case settle(DownloadState)
    }

    enum Action: Equatable {
        /// Put an attempt with this identity into the queue.
        case enqueue(AttemptID)
        /// End the attempt that is queued or running; its end is of no further interest.
        case abandon
        /// Feed `retryDue` with this identity after the wait.
        case wait(AttemptID, Duration)
        /// The state has changed; observers want to know.
        case tellState
        /// The state is an end, told by this action and never again.
        case tellEnd
    }

    // What is large is kept apart: of a hundred thousand downloads nearly all wait in the queue.
    private enum Phase {
        case idle
        case queued(AttemptID)
        case running(AttemptID)
        indirect case retrying(AttemptID, at: Date, after: DownloadError)
        case paused
        indirect case ended(DownloadState)
    }

    /// Shared by all copies of a machine.
    private indirect enum SharedPolicy {
        case policy(RetryPolicy)

        var value: RetryPolicy {
            switch self {
            case .policy(let policy): policy
            }
        }
    }

    private var phase = Phase.idle
    private var lastAttempt: AttemptID = 0
    /// How many retries in a row brought nothing new. The first try is none.
    private var retriesInVain = 0
    private var isRetry = false
    /// The furthest that any attempt came. A server without ranges that always breaks off in the same place brings
    /// bytes each time and still gets nowhere: only what lies beyond this counts as an advance.
    private var furthest: Int64 = 0
    private let policy: SharedPolicy

    init(policy: RetryPolicy) {
        self.policy = .policy(policy)
    }

    var state: DownloadState {
        switch phase {
        case .idle, .queued: .waiting(.slot)
        case .running: .running
        case .retrying(_, let date, let error): .waiting(.retry(at: date, after: error))
        case .paused: .paused
        case .ended(let state): state
        }
    }

    /// Whether this attempt is the one that is at work: only then may it put the file in place.
    func isRunning(_ attempt: AttemptID) -> Bool {
        if case .running(attempt) = phase { true } else { false }
    }

    /// Whether the queue is to get, or has, an operation for this attempt.
    func awaits(_ attempt: AttemptID) -> Bool { awaited == attempt }

    /// The attempt that the queue is to get, or has.
    var awaited: AttemptID? {
        if case .queued(let attempt) = phase { attempt } else { nil }
    }

    /// - Parameters:
    ///   - now: the time, for the date of a retry.
    ///   - jitter: draws a number from 0 to 1.
    mutating func handle(
        _ event: Event,
        now: @autoclosure () -> Date = Date(),
        jitter: @autoclosure () -> Double = Double.random(in: 0...1)
    ) -> [Action] {
        switch (event, phase) {
        case (_, .ended):
            return []
        case (.begin, .idle):
            // It was said to wait for a place from the first.
            return [enqueue()]
        case (.resume, .paused), (.resume, .retrying):
            isRetry = false
            retriesInVain = 0
            return [enqueue(), .tellState]
        case (.retryDue(let id), .retrying(let current, _, _)) where id == current:
            isRetry = true
            return [enqueue(), .tellState]
        case (.attemptStarted(let id), .queued(let current)) where id == current:
            phase = .running(id)
            return [.tellState]
        case (.attemptFailed(let id, let error, let reached, let retryAfter), .running(let current))
        where id == current:
            return fail(error, reached: reached, retryAfter: retryAfter, now: now(), jitter: jitter())
        case (.attemptFinished(let id, let file), .running(let current)) where id == current:
            return end(.finished(file))
        case (.pause, .queued), (.pause, .running):
            phase = .paused
            return [.abandon, .tellState]
        case (.pause, .idle), (.pause, .retrying):
            phase = .paused
            return [.tellState]
        case (.cancel, .queued), (.cancel, .running):
            return [.abandon] + end(.cancelled)
        case (.cancel, .idle), (.cancel, .retrying), (.cancel, .paused):
            return end(.cancelled)
        case (.settle(let state), .idle):
            return end(state)
        case (.settle(let state), .paused) where lastAttempt == 0:
            // Somebody paused it between its enqueueing and this.
            return end(state)
        default:
            return []
        }
    }

    private mutating func enqueue() -> Action {
        lastAttempt += 1
        phase = .queued(lastAttempt)
        return .enqueue(lastAttempt)
    }

    private mutating func end(_ state: DownloadState) -> [Action] {
        phase = .ended(state)
        return [.tellEnd]
    }

    private mutating func fail(
        _ error: DownloadError,
        reached: Int64,
        retryAfter: Duration?,
        now: Date,
        jitter: Double
    ) -> [Action] {
        if reached > furthest {
            furthest = reached
            retriesInVain = 0
        } else if isRetry {
            retriesInVain += 1
        }
        let policy = policy.value
        guard error.isRetryable, retriesInVain < policy.maxRetriesWithoutProgress else { return end(.failed(error)) }
        let wait = policy.delay(before: retriesInVain + 1, retryAfter: retryAfter, fraction: jitter)
        phase = .retrying(lastAttempt, at: now.addingTimeInterval(wait.inSeconds), after: error)
        return [.wait(lastAttempt, wait), .tellState]
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
