import Dispatch
import Foundation
import HTTPResumption

/// What a download keeps under its lock.
struct DownloadCore {
    var machine: DownloadMachine
    var meter = ProgressMeter()
    var operation: DownloadOperation?
    var retryWait: RetryWait?
    var history = ResumeHistory()
    var remarks: [DownloadRemark] = []
    /// The download was deleted: whatever of it an attempt still makes goes, too.
    var isDeleted = false
    var waiters = FileWaiters()
    var mailboxes: [EventMailbox] = []
    private var callbacks: [Callbacks] = []
    private let callbackQueue: DispatchQueue

    typealias Progress = @Sendable (DownloadProgress) -> Void
    typealias Completion = @Sendable (Result<URL, DownloadError>) -> Void

    private struct Callbacks {
        let progress: Progress?
        let completion: Completion?
    }

    init(machine: DownloadMachine, callbackQueue: DispatchQueue) {
        self.machine = machine
        self.callbackQueue = callbackQueue
    }

    /// How it ended; `nil` as long as it has not.
    var result: Result<URL, DownloadError>? {
        switch machine.state {
        case .finished(let file): .success(file)
        case .failed(let error): .failure(error)
        case .cancelled: .failure(.wasCancelled)
        case .waiting, .running, .paused: nil
        }
    }

    /// Whether anybody wants to hear of progress.
    var isProgressHeard: Bool { !mailboxes.isEmpty || callbacks.contains { $0.progress != nil } }

    mutating func add(progress: Progress?, completion: Completion?) {
        guard progress != nil || completion != nil else { return }
        callbacks.append(Callbacks(progress: progress, completion: completion))
    }

    // Closures are put on their queue while the lock is held, which calls none of them and keeps their order.

    func tellState() {
        let state = machine.state
        for mailbox in mailboxes { mailbox.put(.state(state)) }
    }

    func tellProgress(now: ContinuousClock.Instant) {
        let progress = meter.progress(now: now)
        for mailbox in mailboxes { mailbox.put(.progress(progress)) }
        let closures = callbacks.compactMap(\.progress)
        guard !closures.isEmpty else { return }
        callbackQueue.async { for closure in closures { closure(progress) } }
    }

    /// Tells the end to everyone, and forgets them. The waiters returned are to be resumed outside of the lock.
    mutating func tellEnd(now: ContinuousClock.Instant) -> [FileWaiters.Continuation] {
        guard let result else { return [] }
        tellProgress(now: now)
        tellState()
        for mailbox in mailboxes { mailbox.close() }
        mailboxes = []
        let closures = callbacks.compactMap(\.completion)
        callbacks = []
        if !closures.isEmpty {
            callbackQueue.async { for closure in closures { closure(result) } }
        }
        return waiters.takeAll()
    }
}

extension DownloadError {
    static let wasCancelled = DownloadError(
        .cancelled,
        "The download was cancelled. Enqueue it again to go on.",
        isRetryable: true
    )
}
