import SpatePacing

/// How many downloads run at once.
public enum DownloadConcurrency: Sendable, Hashable {
    /// This many; at least 1.
    case exactly(Int)
    /// As many as help, and at most this many.
    ///
    /// It begins with three, or with the present number if it is set later. While files wait, more are tried. What counts
    /// is how much all of them receive together: the smallest number stays that is as fast as a larger one. A slow server
    /// or a full line gets few, many small files over a long line get many. A server that closes connections without an
    /// answer, and one of several that sends far less when more of its downloads run, gets a smaller number of its own.
    case automatic(atMost: Int)

    /// As many as help, and at most 64.
    public static var automatic: Self { .automatic(atMost: 64) }

    /// The most that may run at once.
    var most: Int {
        switch self {
        case .exactly(let count), .automatic(let count): max(1, count)
        }
    }
}

/// Another number of downloads may run at once from now on, of all or of one server. See
/// ``DownloadConcurrency/automatic(atMost:)``.
public struct ConcurrencyChange: Sendable, Hashable {
    /// Why another number may run.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Small files come quickly, and others wait.
        case smallFiles
        /// The last change has made all of them together faster.
        case faster
        /// To find out whether more are faster.
        case trial
        /// To find out whether fewer are as fast.
        case fewer
        /// Fewer were slower.
        case slower
        /// More were not faster.
        case noGain
        /// With more, far less came: the server does not bear so many.
        case overload
        /// The server has closed connections without an answer, or has taken none.
        case turnedAway
        /// It was right for this server before.
        case known
        /// The program has set ``DownloadManager/concurrency`` or ``DownloadManager/maxConcurrentDownloads``.
        case set
    }

    /// How many may run now.
    public let limit: Int
    /// How many could run before.
    public let former: Int
    /// Why it has changed.
    public let reason: Reason
    /// The server, such as `https://example.com`, if these are the numbers of its downloads only; `nil` for all.
    ///
    /// A server has a number of its own after it has turned connections away, or has sent far less to more downloads while
    /// others went on as before.
    public let host: String?

    init(limit: Int, former: Int, reason: Reason, host: String? = nil) {
        (self.limit, self.former, self.reason, self.host) = (limit, former, reason, host)
    }
}

extension ConcurrencyChange.Reason {
    init(_ cause: HostChange.Cause) {
        self =
            switch cause {
            case .collapse: .overload
            case .turnedAway: .turnedAway
            case .trial: .trial
            }
    }

    init(_ reason: Pace.Reason) {
        self =
            switch reason {
            case .answers: .smallFiles
            case .gain: .faster
            case .probe: .trial
            case .fewer: .fewer
            case .slower: .slower
            case .noGain: .noGain
            case .collapse: .overload
            case .known: .known
            }
    }
}
