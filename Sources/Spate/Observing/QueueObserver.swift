import Dispatch
import Foundation
import SpateLocking

/// An observer that calls closures on a dispatch queue.
///
/// One block is on the queue at a time and makes one call. So the backlog of a slow closure is bounded: every state,
/// and for each download the newest progress.
final class QueueObserver: DownloadObserver {
    typealias Progress = @Sendable (DownloadProgress) -> Void
    typealias Completion = @Sendable (Result<URL, DownloadError>) -> Void

    private struct State {
        var buffer = EventBuffer()
        /// Whether a block is on the queue.
        var isScheduled = false
    }

    private let queue: DispatchQueue
    let wantsProgress: Bool
    private let wantsStates: Bool
    private let handle: @Sendable (Download, DownloadEvent) -> Void
    private let state = Locked(State(), .observer)

    /// Calls a closure with each event.
    init(on queue: DispatchQueue, handle: @escaping @Sendable (Download, DownloadEvent) -> Void) {
        self.queue = queue
        self.handle = handle
        wantsProgress = true
        wantsStates = true
    }

    /// Calls one closure with progress and one with the end.
    init(on queue: DispatchQueue, progress: Progress?, completion: Completion?) {
        self.queue = queue
        handle = { download, event in
            switch event {
            case .progress(let value): progress?(value)
            case .state(let state): if let result = state.result(of: download) { completion?(result) }
            }
        }
        wantsProgress = progress != nil
        wantsStates = false
    }

    /// Calls a closure with the end of each observed download.
    init(on queue: DispatchQueue, ended: @escaping @Sendable (Download, Result<URL, DownloadError>) -> Void) {
        self.queue = queue
        handle = { download, event in
            if case .state(let state) = event, let result = state.result(of: download) { ended(download, result) }
        }
        wantsProgress = false
        wantsStates = false
    }

    func note(_ event: DownloadEvent, of download: Download) {
        let isWanted =
            switch event {
            case .progress: wantsProgress
            case .state(let state): wantsStates || state.isTerminal
            }
        if isWanted { state.withLock { $0.buffer.append(event, of: download) } }
    }

    func act() {
        let schedules = state.withLock { state in
            if state.isScheduled || state.buffer.isEmpty { return false }
            state.isScheduled = true
            return true
        }
        if schedules { queue.async { [self] in callOnce() } }
    }

    private func callOnce() {
        let next = state.withLock { state in
            state.isScheduled = false
            return state.buffer.popFirst()
        }
        if let (download, event) = next { handle(download, event) }
        act()
    }
}

/// An observer that calls a closure with the end of a download, on the thread that ends it.
final class EndObserver: DownloadObserver {
    private let handle: QueueObserver.Completion
    private let ended = Locked<Download?>(nil)

    init(handle: @escaping QueueObserver.Completion) {
        self.handle = handle
    }

    var wantsProgress: Bool { false }

    func note(_ event: DownloadEvent, of download: Download) {}

    func note(_ end: DownloadEnd, of download: Download) { ended.withLock { $0 = download } }

    func act() {
        if let result = ended.withLock({ $0.take() })?.result { handle(result) }
    }
}
