/// The sum of the bytes that downloads have and will have, updated with each event. Downloads that end without a file
/// leave it. When none is left it is over, and does not change any more.
struct DownloadTally {
    private struct Share {
        var received: Int64 = 0
        var total: Int64?
        var isPaused = false
    }

    /// The sum over running and finished downloads. Servers send any number as a size, so the sum of two may not fit 64
    /// bits.
    private struct Sum {
        var received: Int128 = 0
        var total: Int128 = 0
        var knownTotals = 0

        mutating func add(_ share: Share, times sign: Int128 = 1) {
            received += sign * Int128(share.received)
            guard let size = share.total else { return }
            total += sign * Int128(size)
            knownTotals += Int(sign)
        }
    }

    private var shares: [ObjectIdentifier: Share] = [:]
    private var sum = Sum()
    private var pausedCount = 0
    private var isIntroducing = true
    private var finishedCount = 0
    private(set) var isOver = false

    /// Adds a download that was there before, unless an event of it came first.
    mutating func introduce(_ download: Download, _ state: DownloadState, _ progress: DownloadProgress) {
        guard shares[ObjectIdentifier(download)] == nil else { return }
        note(.state(state), of: download)
        note(.progress(progress), of: download)
    }

    ///
    /// - Parameter mayBeOver: whether having no download means that all have ended, not that none has come yet.
    mutating func endIntroductions(mayBeOver: Bool = false) {
        isIntroducing = false
        isOver = shares.isEmpty && (finishedCount > 0 || mayBeOver)
    }

    mutating func note(_ event: DownloadEvent, of download: Download) {
        guard !isOver else { return }
        let identity = ObjectIdentifier(download)
        var share = shares[identity] ?? Share(total: download.enqueuedRequest.expectedBytes)
        if shares[identity] != nil { sum.add(share, times: -1) }
        pausedCount -= share.isPaused ? 1 : 0
        switch event {
        case .progress(let progress):
            share.received = progress.receivedBytes
            share.total = progress.totalBytes ?? download.enqueuedRequest.expectedBytes
        case .state(let state):
            share.isPaused = if case .paused = state { true } else { false }
        }
        switch event {
        case .state(.finished):
            // Its progress, with the whole size, came just before.
            finishedCount += 1
            sum.add(share)
            shares[identity] = nil
        case .state(.failed), .state(.cancelled):
            shares[identity] = nil
        case .state, .progress:
            pausedCount += share.isPaused ? 1 : 0
            sum.add(share)
            shares[identity] = share
        }
        if shares.isEmpty, !isIntroducing { isOver = true }
    }

    /// The values for a `Progress`, without a speed.
    var reading: ProgressReading {
        ProgressReading(
            completedBytes: Int64(clamping: sum.received),
            totalBytes: fileCount > 0 && sum.knownTotals == fileCount ? Int64(clamping: sum.total) : nil,
            fraction: fraction,
            isFinished: isOver,
            isPaused: pausedCount > 0 && pausedCount == shares.count,
            fileTotalCount: fileCount,
            fileCompletedCount: finishedCount
        )
    }

    private var fileCount: Int { shares.count + finishedCount }

    /// The total, with the mean of the known sizes for each that is not known; `nil` if none is known.
    private var expectedTotal: Double? {
        guard sum.knownTotals > 0 else { return nil }
        return max(Double(sum.total) / Double(sum.knownTotals) * Double(fileCount), Double(sum.received))
    }

    private var fraction: Double {
        if isOver { return 1 }
        guard let expectedTotal, expectedTotal > 0 else { return 0 }
        return Double(sum.received) / expectedTotal
    }
}
