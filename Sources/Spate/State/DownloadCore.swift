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
    var waiters = FileWaiters()
    /// How many enqueued it and still want it.
    var askers: Int32 = 1
    /// The download was deleted: whatever of it an attempt still makes goes, too.
    var isDeleted = false
    var mailboxes: [EventMailbox] = []
    /// Those who hear of this download alone.
    private var listeners: [WeakListener] = []
    private var callbacks: [Callbacks] = []
    /// Those who hear of all downloads of the manager.
    private let audience: Audience

    typealias Progress = @Sendable (DownloadProgress) -> Void
    typealias Completion = @Sendable (Result<URL, DownloadError>) -> Void

    private struct Callbacks {
        let progress: Progress?
        let completion: Completion?
        /// Told the end by whoever brings it about, outside of the lock.
        let ending: Completion?
    }

    /// All that is to be done when the end has been told, outside of the lock.
    struct Farewells {
        var waiters: [FileWaiters.Continuation] = []
        var endings: [Completion] = []
    }

    init(machine: DownloadMachine, audience: Audience) {
        self.machine = machine
        self.audience = audience
    }

    var callbackQueue: DispatchQueue { audience.callbackQueue }

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
        callbacks.append(Callbacks(progress: progress, completion: completion, ending: nil))
    }

    mutating func add(_ listener: any DownloadListener) {
        listeners.removeAll { $0.listener == nil }
        listeners.append(WeakListener(listener: listener))
    }

    /// Has the end told to this closure, too, by whoever brings it about, outside of the lock.
    mutating func add(ending: @escaping Completion) {
        callbacks.append(Callbacks(progress: nil, completion: nil, ending: ending))
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

    /// Tells the end to everyone, and forgets them.
    mutating func tellEnd(of download: Download, now: ContinuousClock.Instant) -> Farewells {
        guard let result else { return Farewells() }
        tellProgress(of: download, now: now)
        tellState(of: download)
        for mailbox in mailboxes { mailbox.close() }
        mailboxes = []
        listeners = []
        let closures = callbacks.compactMap(\.completion)
        let endings = callbacks.compactMap(\.ending)
        callbacks = []
        if !closures.isEmpty {
            callbackQueue.async { for closure in closures { closure(result) } }
        }
        return Farewells(waiters: waiters.takeAll(), endings: endings)
    }
}

extension DownloadError {
    static let wasCancelled = DownloadError(
        .cancelled,
        "The download was cancelled. Enqueue it again to go on.",
        isRetryable: true
    )
}
