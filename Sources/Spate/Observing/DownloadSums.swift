/// The sums over several downloads, by phase. Updated with each download, so that reading asks none.
struct DownloadSums {
    /// How one download counts.
    struct Share: Equatable {
        enum Phase: UInt8 {
            /// Not counted: new or cancelled.
            case none
            case waiting, running, paused, finished, failed
            /// Waits for its next try.
            case retrying
        }

        var phase = Phase.none
        var received: Int64 = 0
        var total: Int64?
    }

    /// Servers send any number as a size, so the sum of two may exceed 64 bits.
    struct Sum {
        private(set) var count = 0
        private(set) var received: Int128 = 0
        private(set) var total: Int128 = 0
        private(set) var knownTotals = 0
        /// The received bytes of those whose size is known.
        private var receivedOfKnown: Int128 = 0
        /// How many have no size because nobody has asked for them. The size of the others nobody can guess.
        private var unasked = 0

        fileprivate mutating func add(_ share: Share, times sign: Int) {
            count += sign
            received += Int128(sign) * Int128(share.received)
            guard let size = share.total else {
                if share.phase == .waiting { unasked += sign }
                return
            }
            total += Int128(sign) * Int128(size)
            receivedOfKnown += Int128(sign) * Int128(share.received)
            knownTotals += sign
        }

        fileprivate static func + (left: Sum, right: Sum) -> Sum {
            Sum(
                count: left.count + right.count,
                received: left.received + right.received,
                total: left.total + right.total,
                knownTotals: left.knownTotals + right.knownTotals,
                receivedOfKnown: left.receivedOfKnown + right.receivedOfKnown,
                unasked: left.unasked + right.unasked
            )
        }

        /// The total, with the mean of the known sizes for each unknown size; `nil` if none is known.
        func expectedTotal(of mean: Sum) -> Double? {
            if mean.knownTotals == 0 { return nil }
            return Double(total) + mean.meanTotal * Double(count - knownTotals)
        }

        /// The bytes that are to come, with the mean of the known sizes for what nobody has asked for. What was asked
        /// for and has no size does not count. `nil` if that leaves nothing to go by.
        func expectedRest(of mean: Sum) -> Double? {
            let guessed = mean.knownTotals > 0 ? unasked : 0
            guard knownTotals + guessed > 0 else { return nil }
            let rest = max(Double(total - receivedOfKnown), 0)
            return guessed > 0 ? rest + mean.meanTotal * Double(guessed) : rest
        }

        private var meanTotal: Double { Double(total) / Double(knownTotals) }

        /// `nil` if a size is unknown.
        var wholeTotal: Int64? { knownTotals == count ? Int64(clamping: total) : nil }
    }

    /// Downloads that wait or run.
    private(set) var busy = Sum()
    private(set) var paused = Sum()
    private(set) var finished = Sum()
    private(set) var failedCount = 0

    /// All except failed downloads.
    var all: Sum { busy + paused + finished }

    /// A download counted as `old` until now.
    mutating func replace(_ old: Share, by new: Share) {
        count(old, times: -1)
        count(new, times: 1)
    }

    mutating func forgetEnds() {
        (finished, failedCount) = (Sum(), 0)
    }

    private mutating func count(_ share: Share, times sign: Int) {
        switch share.phase {
        case .none: break
        case .waiting, .running, .retrying: busy.add(share, times: sign)
        case .paused: paused.add(share, times: sign)
        case .finished: finished.add(share, times: sign)
        case .failed: failedCount += sign
        }
    }
}
