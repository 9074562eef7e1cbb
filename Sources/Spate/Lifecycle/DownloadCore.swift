import Foundation
import HTTPResumption

/// What a download keeps under its lock.
struct DownloadCore {
    var machine: DownloadMachine
    var meter = ProgressMeter()
    /// The operation of the attempt that is queued or running, if it has been made.
    var operation: DownloadOperation?
    var retryTimer: RetryTimer?
    var history = ResumeHistory()
    var remarks: [DownloadRemark] = []
    /// How many callers enqueued it and still want it.
    var callers: Int32 = 1
    /// The download was deleted: an attempt that still runs removes what it has written.
    var isDeleted = false
    var observers: [any DownloadObserver]

    /// Updates what depends on the state, and has the observers note the new one. They are gone after the end.
    mutating func noteState(of download: Download) {
        retryTimer = nil
        if !machine.hasAttempt { operation = nil }
        let state = machine.state
        if state.isTerminal { noteProgress(of: download, now: .now) }
        for observer in observers { observer.note(.state(state), of: download) }
        if state.isTerminal { observers = [] }
    }

    func noteProgress(of download: Download, now: ContinuousClock.Instant) {
        let progress = meter.progress(now: now)
        for observer in observers { observer.note(.progress(progress), of: download) }
    }
}
