import Dispatch
import Foundation
import SpateLocking

/// An observer that calls closures on a dispatch queue.
///
/// One block is on the queue at a time and makes one call. So the backlog of a slow closure is bounded: every state,
/// and for each download the newest progress.
final class QueueObserver: DownloadObserver {
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

    /// - Parameters:
    ///   - wantsProgress: whether to call the closure with progress.
    ///   - wantsStates: whether to call it with all states, not only with ends.
    init(
        on queue: DispatchQueue,
        wantsProgress: Bool = true,
        wantsStates: Bool = true,
        handle: @escaping @Sendable (Download, DownloadEvent) -> Void
    ) {
        self.queue = queue
        self.wantsProgress = wantsProgress
        self.wantsStates = wantsStates
        self.handle = handle
    }

    /// Calls one closure with progress and one with each end.
    convenience init(
        on queue: DispatchQueue,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil,
        ended: @escaping @Sendable (Download, Result<URL, DownloadError>) -> Void
    ) {
        self.init(on: queue, wantsProgress: progress != nil, wantsStates: false) { download, event in
            switch event {
            case .progress(let value): progress?(value)
            case .state(let state): if let result = state.result(of: download) { ended(download, result) }
            }
        }
    }

    func wants(_ state: DownloadState) -> Bool { wantsStates }

    func note(_ event: DownloadEvent, of download: Download) {
        state.withLock { $0.buffer.append(event, of: download) }
    }

    func act() {
        let schedules = state.withLock { state in
            if state.isScheduled || !state.buffer.isReadable { return false }
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
    private let handle: @Sendable (Result<URL, DownloadError>) -> Void
    private let ended = Locked<Download?>(nil)

    init(handle: @escaping @Sendable (Result<URL, DownloadError>) -> Void) {
        self.handle = handle
    }

    var isUse: Bool { true }

    var wantsProgress: Bool { false }

    func note(_ event: DownloadEvent, of download: Download) {}

    func note(_ end: DownloadEnd, of download: Download) { ended.withLock { $0 = download } }

    func act() {
        if let result = ended.withLock({ $0.take() })?.result { handle(result) }
    }
}
