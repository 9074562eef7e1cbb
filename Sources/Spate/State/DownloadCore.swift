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
    /// How many enqueued it and still want it.
    var askers: Int32 = 1
    var waiters = FileWaiters()
    var mailboxes: [EventMailbox] = []
    /// Those who hear of this download alone.
    private var listeners: [WeakListener] = []
    private var endings: [Completion] = []
    /// Those who hear of all downloads of the manager.
    private let audience: Audience
    private var callbacks: [Callbacks] = []
    let callbackQueue: DispatchQueue

    typealias Progress = @Sendable (DownloadProgress) -> Void
    typealias Completion = @Sendable (Result<URL, DownloadError>) -> Void

    private struct Callbacks {
        let progress: Progress?
        let completion: Completion?
    }

    init(machine: DownloadMachine, callbackQueue: DispatchQueue, audience: Audience = Audience()) {
        self.machine = machine
        self.callbackQueue = callbackQueue
        self.audience = audience
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
    var isProgressHeard: Bool {
        !mailboxes.isEmpty || !listeners.isEmpty || callbacks.contains { $0.progress != nil } || !audience.isEmpty
    }

    mutating func add(progress: Progress?, completion: Completion?) {
        guard progress != nil || completion != nil else { return }
        callbacks.append(Callbacks(progress: progress, completion: completion))
    }

    mutating func add(_ listener: any DownloadListener) {
        listeners.removeAll { $0.listener == nil }
        listeners.append(WeakListener(listener: listener))
    }

    /// Has the end told to this closure, too, by whoever brings it about, outside of the lock.
    mutating func add(ending: @escaping Completion) {
        endings.append(ending)
    }

    mutating func takeEndings() -> [Completion] {
        defer { endings = [] }
        return endings
    }

    // Closures are put on their queue while the lock is held, which calls none of them and keeps their order.

    func tellState(of download: Download) {
        tell(.state(machine.state), of: download)
    }

    private func tell(_ event: DownloadEvent, of download: Download) {
        for mailbox in mailboxes { mailbox.put(event) }
        for listener in listeners { listener.listener?.hear(event, of: download) }
        audience.hear(event, of: download)
    }

    func tellProgress(of download: Download, now: ContinuousClock.Instant) {
        let progress = meter.progress(now: now)
        tell(.progress(progress), of: download)
        let closures = callbacks.compactMap(\.progress)
        guard !closures.isEmpty else { return }
        callbackQueue.async { for closure in closures { closure(progress) } }
    }

    /// Tells the end to everyone, and forgets them. The waiters returned are to be resumed outside of the lock.
    mutating func tellEnd(of download: Download, now: ContinuousClock.Instant) -> [FileWaiters.Continuation] {
        guard let result else { return [] }
        tellProgress(of: download, now: now)
        tellState(of: download)
        for mailbox in mailboxes { mailbox.close() }
        mailboxes = []
        listeners = []
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
