import Spate

/// All files together, as far as anybody knows.
struct LiveTotal: Equatable {
    /// From 0 to 1; `nil` without an estimate.
    var fraction: Double?
    var receivedBytes: Int64
    /// `nil` without an estimate.
    var totalBytes: Int64?
    /// Whether some sizes are guessed, or unknown.
    var isEstimate = false
    var timeRemaining: Duration?
}

extension LiveModel {
    /// Files that nobody has asked for yet count as the mean of the known sizes. Those that were asked for and have no
    /// size count for nothing: their server has not answered, or states none.
    var total: LiveTotal {
        let isWhole = !listHasMore && notStarted == 0
        if isWhole, let total = whole.totalBytes {
            let fraction = total > 0 ? min(Double(whole.receivedBytes) / Double(total), 1) : 1
            return LiveTotal(
                fraction: fraction,
                receivedBytes: whole.receivedBytes,
                totalBytes: total,
                timeRemaining: time(of: 0)
            )
        }
        var estimate = LiveTotal(receivedBytes: whole.receivedBytes, isEstimate: true)
        guard !listHasMore else { return estimate }
        var known = Sizes()
        for index in entries.indices { known.add(entries[index].progress) }
        let unknowable = entries.count - known.count
        for index in queued.indices { known.add(queued[index].progress) }
        let unasked = entries.count + queued.count - unknowable - known.count + notStarted
        guard done + known.count > 0, known.count + unasked > 0 else { return estimate }
        let mean = (Double(endedBytes) + known.total) / Double(done + known.count)
        let expected = Double(endedBytes) + known.total + mean * Double(unasked)
        estimate.totalBytes = Int64(min(expected, 9e18))
        estimate.timeRemaining = time(of: mean)
        guard expected > 0 else { return estimate }
        let fraction = (Double(endedBytes) + known.received) / expected
        // It is not over while something is left.
        estimate.fraction = min(fraction, 0.99)
        return estimate
    }

    /// The manager's estimate, and the rest of the list with this size.
    private func time(of mean: Double) -> Duration? {
        guard let time = whole.timeRemaining, time > .zero else { return nil }
        if notStarted == 0 { return time }
        guard whole.bytesPerSecond > 0 else { return nil }
        let century = 3_155_760_000.0
        return min(time, .seconds(century)) + .seconds(min(mean * Double(notStarted) / whole.bytesPerSecond, century))
    }

    private struct Sizes {
        var count = 0
        var received = 0.0
        var total = 0.0

        mutating func add(_ progress: DownloadProgress) {
            guard let size = progress.totalBytes else { return }
            count += 1
            received += Double(progress.receivedBytes)
            total += Double(size)
        }
    }
}
