import Foundation

/// The sums over the downloads of a manager since it was last idle. They change with each download, so that reading them
/// asks none but those that run. Pure: it has no lock and no clock.
struct ManagerTally {
    /// How one download counts.
    struct Share: Equatable {
        enum Phase: UInt8 {
            /// It does not: it is new, or was cancelled.
            case none
            case waiting, running, paused, finished, failed
        }

        var phase = Phase.none
        var received: Int64 = 0
        var total: Int64?
    }

    /// What has become of one download since it was counted last.
    struct Change {
        let old: Share
        let new: Share
        /// How many bytes the network has brought.
        let arrived: Int64
        let now: ContinuousClock.Instant
    }

    /// Servers send any number as a size, so the sum of two may not fit 64 bits.
    private struct Sum {
        var count = 0
        var received: Int128 = 0
        var total: Int128 = 0
        var knownTotals = 0

        mutating func add(_ share: Share, times sign: Int) {
            count += sign
            received += Int128(sign) * Int128(share.received)
            guard let size = share.total else { return }
            total += Int128(sign) * Int128(size)
            knownTotals += sign
        }

        static func + (left: Sum, right: Sum) -> Sum {
            Sum(
                count: left.count + right.count,
                received: left.received + right.received,
                total: left.total + right.total,
                knownTotals: left.knownTotals + right.knownTotals
            )
        }
    }

    /// Those that wait or run.
    private var busy = Sum()
    private var paused = Sum()
    private var finished = Sum()
    private var failedCount = 0
    /// How many calls are under way that enqueue several.
    private var batches = 0
    /// Whether nothing waits or runs, and no call enqueues several. The next download that comes is the first of others.
    private(set) var isIdle = true
    private var speed = SpeedWindow()
    /// The downloads that run. What they have received since their last change is not in the sums.
    private(set) var running: [ObjectIdentifier: Download] = [:]

    mutating func note(_ change: Change, of download: Download) {
        let (old, new) = (change.old, change.new)
        let wasIdle = busy.count == 0
        if old != new {
            if old.phase == .none, new.phase != .none { begin() }
            count(old, times: -1)
            count(new, times: 1)
            if new.phase == .running, old.phase != .running { running[ObjectIdentifier(download)] = download }
            if new.phase != .running, old.phase == .running { running[ObjectIdentifier(download)] = nil }
            if wasIdle, busy.count > 0 { speed.restart(now: change.now) }
            noteIdle()
        }
        if change.arrived > 0 { speed.add(change.arrived, now: change.now) }
    }

    /// Between these two calls downloads are enqueued that belong together, even if each has ended before the next comes.
    mutating func beginBatch() { batches += 1 }

    mutating func endBatch() {
        batches -= 1
        noteIdle()
    }

    private mutating func begin() {
        if isIdle { (finished, failedCount) = (Sum(), 0) }
        isIdle = false
    }

    private mutating func noteIdle() {
        // What is resumed goes on with what has ended before the pause.
        if busy.count > 0 { isIdle = false } else if batches == 0 { isIdle = true }
    }

    private mutating func count(_ share: Share, times sign: Int) {
        switch share.phase {
        case .none: break
        case .waiting, .running: busy.add(share, times: sign)
        case .paused: paused.add(share, times: sign)
        case .finished: finished.add(share, times: sign)
        case .failed: failedCount += sign
        }
    }

    /// - Parameter longest: the longest time that a running download takes.
    mutating func progress(longest: Duration?, now: ContinuousClock.Instant) -> DownloadManagerProgress {
        let all = busy + paused + finished
        var progress = DownloadManagerProgress(
            finishedCount: finished.count,
            failedCount: failedCount,
            totalCount: all.count + failedCount,
            receivedBytes: Int64(clamping: all.received),
            totalBytes: all.knownTotals == all.count ? Int64(clamping: all.total) : nil,
            bytesPerSecond: busy.count > 0 ? Self.shown(speed.rate(now: now)) : 0
        )
        progress.timeRemaining = timeRemaining(all, at: progress.bytesPerSecond, longest: longest)
        return progress
    }

    private static func shown(_ rate: Double) -> Double { rate < 1 ? 0 : rate }

    private func timeRemaining(_ all: Sum, at speed: Double, longest: Duration?) -> Duration? {
        if busy.count == 0 { return paused.count == 0 && all.count > 0 ? .zero : nil }
        guard speed > 0, all.knownTotals > 0 else { return longest }
        let mean = Double(all.total) / Double(all.knownTotals)
        let expected = Double(busy.total) + mean * Double(busy.count - busy.knownTotals)
        // At most a century, as for one download.
        let seconds = min(max(expected - Double(busy.received), 0) / speed, 3_155_760_000)
        return max(.seconds(seconds), longest ?? .zero)
    }
}
