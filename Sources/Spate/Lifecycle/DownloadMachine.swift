import Foundation
import SpateHTTPResumption
import SpatePartialFiles
import SpateTiming

/// The rules of a download's life, without locks, queues or clocks. Turns events into actions.
///
/// Events are fed under the download's lock, and actions performed after it is released. No actions means that nobody
/// is notified.
struct DownloadMachine {
    // Large values are indirect, so that feeding an event copies little.
    enum Event {
        /// The download was enqueued.
        case begin
        /// This attempt was passed over, because its host has enough connections.
        case waitsForHost(Int)
        /// The queue has started this attempt, but its host has enough connections, and it is in no line. Or the
        /// attempt runs, and redirects lead to a host with enough connections.
        case turnedAway(Int)
        /// The queue has started this attempt. Attempts are numbered from 1, so that a late report of an old one
        /// changes nothing.
        case attemptStarted(Int)
        /// The attempt failed.
        indirect case attemptFailed(Int, DownloadError, FailedAttempt)
        /// The file is about to get its final name: too late for a pause or a cancellation, unless it gets none.
        case attemptPublishes(Int)
        /// All bytes have come. The attempt returns its slot, and waits for the disk.
        case attemptWaitsForDisk(Int)
        /// The file has its final name, which is not on the disk yet. The attempt's operation ends next.
        case attemptIsPublished(Int)
        /// The file did not get its final name, or a power cut may undo it.
        case attemptDidNotPublish(Int)
        /// The finished file is on disk.
        case attemptFinished(Int, FinalPath)
        /// The time of the retry after this attempt has come.
        case retryDue(Int)
        /// The time limit since the start of this attempt has passed. The download fails with this error.
        indirect case timeIsUp(Int, DownloadError)
        case pause
        case resume
        /// Another caller wants the file, whatever was asked before. Unlike `resume`, it is nobody's wish to try now.
        case join
        case cancel
        /// Its files are deleted, including the finished one.
        case delete
        /// It ends without an attempt: the file already exists, or the request is invalid.
        indirect case endAtOnce(DownloadEnd)
    }

    enum Action: Equatable {
        /// Let this attempt wait for a slot.
        case enqueue(Int)
        /// End the operation of the attempt, which has released its file. Before that it is told as waiting, since another
        /// download gets its slot at once.
        case leave
        /// End this attempt, which is queued or running. Its end changes nothing.
        case abandon(Int)
        /// Feed `retryDue` with this attempt after the wait.
        case wait(Int, Duration)
        /// Let the observers act on the new state. For an end, it is the last.
        case notify(isEnd: Bool)

        var isNotice: Bool { if case .notify = self { true } else { false } }
    }

    // Large values are indirect: of a hundred thousand downloads, nearly all wait for a slot.
    private enum Phase {
        case idle
        case queued(Int)
        case running(Int)
        case publishing(Int)
        case syncing(Int)
        indirect case retrying(Int, at: Date, after: DownloadError)
        case paused
        indirect case ended(DownloadEnd)
    }

    private var phase = Phase.idle
    // These four take no extra space behind the phase.
    /// Whether the attempt that is queued waits for its host.
    private var waitsForHost = false
    /// Whether the queued attempt ignores that its host has asked to wait.
    private(set) var isUrgent = false
    /// Whether the running attempt only waits for the disk, and holds no slot.
    private var waitsForDisk = false
    /// A request that came too late, while the file was getting its final name.
    private var late: Late?

    private enum Late { case pause, cancel }

    /// Whether the time limit has passed while the file was getting its final name. Then no retry follows.
    private var isTimeUp = false
    /// The attempt from whose start the time limit counts; 0 before it.
    private var timedFrom: UInt32 = 0

    /// Whether a freshly prepared request followed a refused one, and no bytes have arrived since.
    private var isRenewed = false
    /// How many attempts in a row made little progress.
    private var smallSteps: UInt8 = 0
    /// Whether the request of each attempt is prepared.
    private let prepares: Bool
    private var lastAttempt = 0
    /// Why the last attempt failed; `nil` if there was none, if it was abandoned, or if attempts are not prepared.
    @Rare private(set) var previousError: DownloadError?
    private let policy: Box<RetryPolicy>
    /// `nil` while nobody has tried the enqueued URL, and it is the only source: so it is with nearly all downloads.
    @Rare private var knownSources: Sources?

    /// - Parameter prepares: whether the request of each attempt is prepared.
    init(policy: RetryPolicy, prepares: Bool = false) {
        (self.policy, self.prepares) = (Box(policy), prepares)
    }

    /// Where attempts get the file from.
    var sources: Sources {
        get { knownSources ?? .untried }
        set { knownSources = newValue }
    }

    /// The file of the enqueued URL has this size. Only mirrors need it.
    mutating func noteOriginTotal(_ total: Int64?) {
        if let total, sources.haveMirrors { sources.originTotal = total }
    }

    var state: DownloadState {
        switch phase {
        case .idle: .waiting(.slot)
        case .queued: .waiting(waitsForHost ? .host : .slot)
        case .running, .publishing: waitsForDisk ? .waiting(.disk) : .running
        case .syncing: .waiting(.disk)
        case .retrying(_, let date, let error): .waiting(.retry(at: date, after: error))
        case .paused: .paused
        case .ended(let end): end.state
        }
    }

    /// How it counts in its manager's progress.
    var counted: DownloadSums.Share.Phase {
        switch phase {
        case .idle, .queued, .syncing: .waiting
        case .running, .publishing: waitsForDisk ? .waiting : .running
        case .retrying: .retrying
        case .paused: .paused
        case .ended(.finished): .finished
        case .ended(.failed): .failed
        case .ended(.cancelled): .none
        }
    }

    /// How it ended; `nil` before.
    var end: DownloadEnd? {
        if case .ended(let end) = phase { end } else { nil }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Whether an attempt is running, and does not only wait for the disk.
    var isRunning: Bool {
        switch phase {
        case .running, .publishing: !waitsForDisk
        default: false
        }
    }

    /// Whether this attempt is running. No other may give the file its name.
    func isRunning(_ attempt: Int) -> Bool {
        switch phase {
        case .running(attempt), .publishing(attempt), .syncing(attempt): true
        default: false
        }
    }

    /// Whether this attempt gives the file its name, or has done so.
    func isPublishing(_ attempt: Int) -> Bool {
        if case .publishing(attempt) = phase { true } else { false }
    }

    /// The attempt that waits for a slot.
    var awaited: Int? {
        if case .queued(let attempt) = phase { attempt } else { nil }
    }

    /// Whether this attempt waits for a slot.
    func awaits(_ attempt: Int) -> Bool { awaited == attempt }

    /// Whether an attempt is queued or running.
    var hasAttempt: Bool {
        switch phase {
        case .queued, .running, .publishing: true
        case .idle, .syncing, .retrying, .paused, .ended: false
        }
    }

    func isWaiting(forRetryAfter attempt: Int) -> Bool {
        if case .retrying(attempt, _, _) = phase { true } else { false }
    }

    /// - Parameters:
    ///   - now: the monotonic time.
    ///   - date: the same time, to report the date of a retry.
    ///   - jitter: draws a number from 0 to 1.
    mutating func handle(
        _ event: Event,
        now: @autoclosure () -> ContinuousClock.Instant = .now,
        date: @autoclosure () -> Date = Date(),
        jitter: @autoclosure () -> Double = Double.random(in: 0...1)
    ) -> [Action] {
        if hasEnded { return [] }
        switch event {
        case .begin:
            guard case .idle = phase else { return [] }
            return enqueue()
        case .waitsForHost(let id):
            guard case .queued(id) = phase, !waitsForHost else { return [] }
            waitsForHost = true
            return [.notify(isEnd: false)]
        case .turnedAway(let id):
            if case .queued(id) = phase { return [.enqueue(id)] }
            guard case .running(id) = phase else { return [] }
            var actions = enqueue(urgently: isUrgent)
            actions.insert(.leave, at: 1)
            return actions
        case .attemptStarted(let id):
            guard case .queued(id) = phase else { return [] }
            phase = .running(id)
            if timedFrom == 0 { timedFrom = UInt32(clamping: id) }
            return [.notify(isEnd: false)]
        case .attemptFailed(let id, let error, let end):
            guard case .running(id) = phase else { return [] }
            return fail(error, end, now: now(), date: date(), jitter: jitter())
        case .attemptPublishes(let id):
            guard case .running(id) = phase else { return [] }
            (phase, late) = (.publishing(id), nil)
            return []
        case .attemptWaitsForDisk(let id):
            guard case .running(id) = phase, !waitsForDisk else { return [] }
            waitsForDisk = true
            return [.notify(isEnd: false)]
        case .attemptIsPublished(let id):
            guard case .publishing(id) = phase else { return [] }
            defer { waitsForDisk = true }
            phase = .syncing(id)
            return waitsForDisk ? [] : [.notify(isEnd: false)]
        case .attemptDidNotPublish(let id):
            switch phase {
            case .publishing(id), .syncing(id): phase = .running(id)
            case .idle, .queued, .running, .publishing, .syncing, .retrying, .paused, .ended: return []
            }
            return switch late {
            case .pause: pause()
            case .cancel: cancel()
            case nil: []
            }
        case .attemptFinished(let id, let path):
            return isRunning(id) ? end(as: .finished(path)) : []
        case .retryDue(let id):
            return isWaiting(forRetryAfter: id) ? enqueue() : []
        case .timeIsUp(let id, let error): return isTimed(from: id) ? timeIsUp(error) : []
        case .pause: return pause()
        case .resume: return resume()
        case .join: return join()
        case .cancel: return cancel()
        case .delete:
            switch phase {
            case .publishing(let id), .syncing(let id): return [.abandon(id)] + end(as: .cancelled)
            case .idle, .queued, .running, .retrying, .paused, .ended: return cancel()
            }
        case .endAtOnce(let end):
            switch phase {
            case .idle: return self.end(as: end)
            // It was paused between its enqueueing and this.
            case .paused where lastAttempt == 0: return self.end(as: end)
            case .paused, .queued, .running, .publishing, .syncing, .retrying, .ended: return []
            }
        }
    }

    private mutating func pause() -> [Action] {
        switch phase {
        case .queued(let id), .running(let id):
            if case .running = phase { previousError = nil }
            phase = .paused
            return [.abandon(id), .notify(isEnd: false)]
        case .idle, .retrying:
            phase = .paused
            return [.notify(isEnd: false)]
        case .publishing, .syncing:
            late = late ?? .pause
            return []
        case .paused, .ended: return []
        }
    }

    /// Whether the time limit counts from the start of this attempt.
    func isTimed(from attempt: Int) -> Bool { timedFrom == attempt && !hasEnded }

    private mutating func timeIsUp(_ error: DownloadError) -> [Action] {
        switch phase {
        case .queued(let id), .running(let id): return [.abandon(id)] + end(as: .failed(error))
        case .retrying(_, _, let last):
            var error = error
            error.add("The last try failed: \(last.message)")
            return end(as: .failed(error))
        case .publishing, .syncing:
            isTimeUp = true
            return []
        case .idle, .paused, .ended: return []
        }
    }

    private mutating func resume() -> [Action] {
        switch phase {
        case .paused, .retrying: return goOn(urgently: true)
        case .queued(let id) where waitsForHost && !isUrgent: return [.abandon(id)] + enqueue(urgently: true)
        case .publishing, .syncing:
            if late == .pause { late = nil }
            return []
        case .idle, .queued, .running, .ended: return []
        }
    }

    private mutating func join() -> [Action] {
        switch phase {
        case .paused: return goOn(urgently: false)
        case .publishing, .syncing:
            late = nil
            return []
        case .idle, .queued, .running, .retrying, .ended: return []
        }
    }

    private mutating func goOn(urgently isUrgent: Bool) -> [Action] {
        (isRenewed, isTimeUp, timedFrom) = (false, false, 0)
        knownSources?.forgetFailures()
        return enqueue(urgently: isUrgent)
    }

    private mutating func cancel() -> [Action] {
        switch phase {
        case .queued(let id), .running(let id): return [.abandon(id)] + end(as: .cancelled)
        case .idle, .retrying, .paused: return end(as: .cancelled)
        case .publishing, .syncing:
            late = .cancel
            return []
        case .ended: return []
        }
    }

    private mutating func enqueue(urgently isUrgent: Bool = false) -> [Action] {
        lastAttempt += 1
        phase = .queued(lastAttempt)
        (waitsForHost, waitsForDisk, self.isUrgent) = (false, false, isUrgent)
        return [.notify(isEnd: false), .enqueue(lastAttempt)]
    }

    private mutating func end(as end: DownloadEnd) -> [Action] {
        phase = .ended(end)
        return [.notify(isEnd: true)]
    }

    /// Less than this is a small step. Otherwise, a server that always sends so little would be asked endlessly.
    private static let leastStep: Int64 = 64 << 10
    private static let mostSmallSteps: UInt8 = 16

    /// Whether the failed attempt has made enough progress.
    ///
    /// - Parameter tries: those at its source.
    private mutating func noteStep(_ attempt: FailedAttempt, _ tries: inout Tries) -> Bool {
        let step = attempt.reached - max(tries.furthest, attempt.found)
        tries.furthest = max(tries.furthest, attempt.reached)
        if step >= Self.leastStep {
            smallSteps = 0
        } else if step > 0, smallSteps <= Self.mostSmallSteps {
            smallSteps += 1
        }
        return step > 0 && smallSteps <= Self.mostSmallSteps && !attempt.isFutile
    }

    private mutating func fail(
        _ error: DownloadError,
        _ attempt: FailedAttempt,
        now: ContinuousClock.Instant,
        date: Date,
        jitter: Double
    ) -> [Action] {
        var tries = sources.tries
        let hasAdvanced = noteStep(attempt, &tries)
        if hasAdvanced { isRenewed = false }
        tries.fail(hasAdvanced: hasAdvanced, hasNoSuchName: attempt.hasNoSuchName)
        if prepares {
            previousError = error
            if sources.mirror == nil, error.mayPassWithFreshRequest, !isRenewed, !isTimeUp {
                isRenewed = true
                // Not a retry: the request is a new one.
                tries.hasFailed = false
                sources.tries = tries
                return enqueue()
            }
        }
        let policy = policy.value
        let mayRetry = error.isRetryable && tries.retriesWithoutProgress < policy.maxRetries(after: tries)
        let delay = policy.delay(
            before: tries.retriesWithoutProgress + 1,
            retryAfter: attempt.retryAfter,
            fraction: jitter
        )
        let (wait, remark) = sources.failed(
            attempt,
            error,
            tries,
            hasAdvanced: hasAdvanced,
            retryAfter: mayRetry ? delay : nil,
            now: now
        )
        var error = error
        if let remark { error.add(remark) }
        guard let wait, !isTimeUp else { return end(as: .failed(error)) }
        error.nextTry = policy.next(after: sources.tries)
        phase = .retrying(lastAttempt, at: date.addingTimeInterval(wait.inSeconds), after: error)
        return [.wait(lastAttempt, wait), .notify(isEnd: false)]
    }
}

extension DownloadError {
    /// Whether the server refused a request whose URL or credentials may have expired.
    fileprivate var mayPassWithFreshRequest: Bool {
        switch statusCode {
        // S3 and GCS answer 400 to an expired token or signature.
        case 400, 401, 403, 404, 410: code == .httpStatus
        default: false
        }
    }
}
