/// The sum of the downloads' present and expected bytes, updated with each event. Downloads without a file leave it.
/// After the last end, it does not change any more.
struct DownloadTally {
    private typealias Share = DownloadSums.Share

    /// For unfinished downloads.
    private var shares: [ObjectIdentifier: Share] = [:]
    private var sums = DownloadSums()
    private var isIntroducing = true
    private(set) var isOver = false

    /// Adds an existing download, unless one of its events came first.
    mutating func introduce(_ download: Download, _ state: DownloadState, _ progress: DownloadProgress) {
        guard shares[ObjectIdentifier(download)] == nil else { return }
        note(.state(state), of: download)
        note(.progress(progress), of: download)
    }

    /// - Parameter mayBeOver: whether an empty tally means that all have ended, not that none has come yet.
    mutating func endIntroductions(mayBeOver: Bool = false) {
        isIntroducing = false
        isOver = shares.isEmpty && (sums.finished.count > 0 || mayBeOver)
    }

    mutating func note(_ event: DownloadEvent, of download: Download) {
        guard !isOver else { return }
        let old = shares[ObjectIdentifier(download)] ?? Share()
        var new = old
        switch event {
        case .progress(let progress):
            (new.received, new.total) = (progress.receivedBytes, progress.totalBytes)
            if new.phase == .none { new.phase = .waiting }
        // The progress of a finished download, with the whole size, came just before.
        case .state(let state): new.phase = Share.Phase(state)
        }
        new.total = new.total ?? download.enqueuedRequest.expectedBytes
        sums.replace(old, by: new)
        let hasEnded = [.finished, .failed, .none].contains(new.phase)
        shares[ObjectIdentifier(download)] = hasEnded ? nil : new
        if shares.isEmpty, !isIntroducing { isOver = true }
    }

    /// The values for a `Progress`, without a speed.
    var reading: ProgressReading {
        let all = sums.all
        return ProgressReading(
            completedBytes: Int64(clamping: all.received),
            totalBytes: all.count > 0 ? all.wholeTotal : nil,
            fraction: fraction(all),
            isFinished: isOver,
            isPaused: !shares.isEmpty && sums.paused.count == shares.count,
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
