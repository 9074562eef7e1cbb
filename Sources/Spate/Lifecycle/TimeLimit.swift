import SpateLocking
import SpateTiming

/// The end of a download whose time is over: see ``DownloadRequest/timeLimit``.
extension Download {
    /// A timer lives no longer than this after the end of its download.
    private static let longestStep = Duration.seconds(60)

    /// An attempt has started. If it is the first, the time begins.
    func beginTime(_ limit: Duration, from attempt: Int) { wait(limit, of: limit, from: attempt) }

    private func wait(_ rest: Duration, of limit: Duration, from attempt: Int) {
        let runtime = core.withLock { $0.machine.isTimed(from: attempt) ? $0.runtime : nil }
        let step = max(.zero, min(rest, Self.longestStep))
        runtime?.after(step) { [weak self] in
            step < rest ? self?.wait(rest - step, of: limit, from: attempt) : self?.endTime(limit, from: attempt)
        }
    }

    private func endTime(_ limit: Duration, from attempt: Int) {
        perform { core in
            var error = DownloadError.timeIsUp(limit)
            error.keptPartialFile = core.keepsPartialFile
            return core.handle(.timeIsUp(attempt, error.of(url)))
        }
    }
}
