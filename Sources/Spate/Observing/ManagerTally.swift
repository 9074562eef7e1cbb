import Foundation

/// The sums over a manager's downloads since it was last idle, and their speed. Pure: it has no lock and no clock.
struct ManagerTally {
    /// The change of one download since its last count.
    struct Change {
        let old: DownloadSums.Share
        let new: DownloadSums.Share
        /// How many bytes the network has received.
        let arrived: Int64
    }

    private var sums = DownloadSums()
    /// The number of running calls that enqueue several.
    private var batches = 0
    /// Whether nothing waits or runs, and no call enqueues several. The next download then starts new sums.
    private(set) var isIdle = true
    private var speed = SpeedWindow()
    /// The running downloads. Bytes received since their last change are not in the sums.
    private(set) var running: [Download] = []

    mutating func note(_ change: Change, of download: Download, now: ContinuousClock.Instant) {
        let (old, new) = (change.old, change.new)
        let wasIdle = sums.busy.count == 0
        if old != new {
            if old.phase == .none, new.phase != .none { begin() }
            sums.replace(old, by: new)
            if new.phase == .running, old.phase != .running { running.append(download) }
            // They are few, and searching them costs less than hashing.
            if new.phase != .running, old.phase == .running { running.removeAll { $0 === download } }
            if wasIdle, sums.busy.count > 0 { speed.restart(now: now) }
            noteIdle()
        }
        if change.arrived > 0 { speed.add(change.arrived, now: now) }
    }

    /// Downloads enqueued between these two calls belong together, even if each has ended before the next comes.
    mutating func beginBatch() { batches += 1 }

    mutating func endBatch() {
        batches -= 1
        noteIdle()
    }

    private mutating func begin() {
        if isIdle { sums.forgetEnds() }
        isIdle = false
    }

    private mutating func noteIdle() {
        // Resumed downloads count together with downloads that ended before the pause.
        if sums.busy.count > 0 { isIdle = false } else if batches == 0 { isIdle = true }
    }

    /// - Parameter longest: the longest remaining time of a running download.
    mutating func progress(longest: Duration?, now: ContinuousClock.Instant) -> DownloadManagerProgress {
        let all = sums.all
        var progress = DownloadManagerProgress(
            finishedCount: sums.finished.count,
            failedCount: sums.failedCount,
            totalCount: all.count + sums.failedCount,
            receivedBytes: Int64(clamping: all.received),
            totalBytes: all.wholeTotal,
            bytesPerSecond: sums.busy.count > 0 ? Self.shown(speed.rate(now: now)) : 0
        )
        progress.timeRemaining = timeRemaining(all, at: progress.bytesPerSecond, longest: longest)
        return progress
    }

    private static func shown(_ rate: Double) -> Double { rate < 1 ? 0 : rate }

    private func timeRemaining(_ all: DownloadSums.Sum, at speed: Double, longest: Duration?) -> Duration? {
        let busy = sums.busy
        if busy.count == 0 { return sums.paused.count == 0 && all.count > 0 ? .zero : nil }
        guard speed > 0, let rest = busy.expectedRest(of: all) else { return longest }
        // At most a century, as for one download.
        let seconds = min(rest / speed, 3_155_760_000)
        return max(.seconds(seconds), longest ?? .zero)
    }
}
