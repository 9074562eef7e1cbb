import SpateHTTPSyntax

/// How often a failed attempt is retried, and after which delay.
///
/// Exponential backoff with full jitter: each delay is random between zero and a limit that doubles with each retry, so
/// downloads that failed together do not retry together. A server's `Retry-After` is honoured as the shortest delay.
public struct RetryPolicy: Sendable, Hashable {
    /// The number of retries in a row without a new byte before the download fails. By default 5.
    ///
    /// A retry that makes progress resets the count. With 0 nothing is retried.
    public var maxRetriesWithoutProgress: Int
    /// The number of those retries if a name server says that the host's name does not exist. By default 1, and at most
    /// ``maxRetriesWithoutProgress``.
    ///
    /// It counts only for a host that has never answered in this process, while a host of another name has. If no name
    /// server can be reached, and behind a proxy, nothing is known about the name, and all retries are made.
    public var maxRetriesOfUnknownName = 1
    /// The longest delay before the first retry. It doubles for each further retry. By default 1 second.
    public var firstDelay: Duration
    /// The limit of that doubling. By default 60 seconds.
    public var maximumDelay: Duration
    /// The longest `Retry-After` to honour; longer ones are shortened to this. By default 5 minutes, and at most a day.
    ///
    /// After a 429, or a 503 with that field, no download asks the host until then, except with ``Download/resume()``.
    public var maximumRetryAfter: Duration

    /// Creates a policy. Negative times count as zero.
    public init(
        maxRetriesWithoutProgress: Int = 5,
        firstDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(60),
        maximumRetryAfter: Duration = .seconds(300)
    ) {
        self.maxRetriesWithoutProgress = maxRetriesWithoutProgress
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// The policy that retries nothing.
    public static let never = RetryPolicy(maxRetriesWithoutProgress: 0)

    /// How many retries without progress a source has after these tries.
    func maxRetries(after tries: Tries) -> Int {
        tries.hasNoSuchName ? min(maxRetriesOfUnknownName, maxRetriesWithoutProgress) : maxRetriesWithoutProgress
    }

    /// The next try after these.
    func next(after tries: Tries) -> DownloadTry {
        let retries = max(0, maxRetries(after: tries))
        return DownloadTry(number: tries.next, limit: retries == .max ? nil : retries + 1)
    }

    /// The delay before a retry.
    ///
    /// - Parameters:
    ///   - retry: 1 for the first retry since the last progress.
    ///   - retryAfter: the server's `Retry-After`.
    ///   - fraction: the jitter, from 0 to 1.
    func delay(before retry: Int, retryAfter: Duration?, fraction: Double) -> Duration {
        let firstDelay = Self.inRange(firstDelay)
        let maximumDelay = Self.inRange(maximumDelay)
        var limit = min(firstDelay, maximumDelay)
        for _ in 1..<min(max(retry, 1), 64) where limit < maximumDelay { limit = min(limit * 2, maximumDelay) }
        let jitter = limit * min(max(fraction, 0), 1)
        guard let retryAfter else { return jitter }
        return min(max(.zero, retryAfter), longestWait) + min(jitter, firstDelay)
    }

    /// The longest wait that a server may ask for.
    var longestWait: Duration { max(.zero, min(maximumRetryAfter, .seconds(RetryAfter.longest))) }

    /// At most a century, so that no sum or product overflows.
    private static func inRange(_ delay: Duration) -> Duration {
        max(.zero, min(delay, .seconds(3_155_760_000)))
    }
}
