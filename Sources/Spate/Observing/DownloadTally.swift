/// The sum of the bytes that downloads have and will have, updated with each event. Downloads that end without a file
/// leave it. When none is left it is over, and does not change any more.
struct DownloadTally {
    private typealias Share = DownloadSums.Share

    /// Of downloads that have not ended.
    private var shares: [ObjectIdentifier: Share] = [:]
    private var sums = DownloadSums()
    private var isIntroducing = true
    private(set) var isOver = false

    /// Adds a download that was there before, unless an event of it came first.
    mutating func introduce(_ download: Download, _ state: DownloadState, _ progress: DownloadProgress) {
        guard shares[ObjectIdentifier(download)] == nil else { return }
        note(.state(state), of: download)
        note(.progress(progress), of: download)
    }

    /// - Parameter mayBeOver: whether having no download means that all have ended, not that none has come yet.
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
        // The progress of a finished one, with the whole size, came just before.
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
