/// The sum of the downloads' present and expected bytes, updated with each change. Downloads without a file leave it.
/// After the last end, it does not change any more.
struct DownloadTally {
    private var sums = DownloadSums()
    private var isIntroducing = true
    private(set) var isOver = false

    private var hasUnfinished: Bool { sums.busy.count + sums.paused.count > 0 }

    /// - Parameter mayBeOver: whether an empty tally means that all have ended, not that none has come yet.
    mutating func endIntroductions(mayBeOver: Bool = false) {
        isIntroducing = false
        isOver = !hasUnfinished && (sums.finished.count > 0 || mayBeOver)
    }

    /// A download counted as `old` until now.
    mutating func replace(_ old: DownloadSums.Share, by new: DownloadSums.Share) {
        guard !isOver else { return }
        sums.replace(old, by: new)
        if !hasUnfinished, !isIntroducing { isOver = true }
    }

    /// The values for a `Progress`, without a speed.
    var reading: ProgressReading {
        let all = sums.all
        return ProgressReading(
            progress: DownloadProgress(
                receivedBytes: Int64(clamping: all.received),
                totalBytes: all.count > 0 ? all.wholeTotal : nil
            ),
            fraction: fraction(all),
            isFinished: isOver,
            isPaused: sums.paused.count > 0 && sums.busy.count == 0,
            fileTotalCount: all.count,
            fileCompletedCount: sums.finished.count
        )
    }

    private func fraction(_ all: DownloadSums.Sum) -> Double {
        if isOver { return 1 }
        let received = Double(all.received)
        guard let expected = all.expectedTotal(of: all).map({ max($0, received) }), expected > 0 else { return 0 }
        return received / expected
    }
}
