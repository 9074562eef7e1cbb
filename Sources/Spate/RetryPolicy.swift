/// How often a download is tried again, and how long it waits before.
///
/// Waits grow exponentially and are drawn at random between nothing and the full wait ("full jitter"), so that many
/// downloads that failed together don't come back together. A server's `Retry-After` is honoured as the least wait.
public struct RetryPolicy: Sendable, Hashable {
    /// How many retries in a row may bring no new byte before the download fails: 5 unless set.
    ///
    /// A retry that makes progress starts the count again. With 0 the first failure is final.
    public var maxRetriesWithoutProgress: Int
    /// The full wait before the first retry, doubled for each one after it. 1 second unless set.
    public var firstDelay: Duration
    /// The longest full wait. 60 seconds unless set.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is honoured; a longer one is cut to this. 10 minutes unless set.
    public var maximumRetryAfter: Duration

    /// Creates a policy; what is left out has its default. Negative times count as zero.
    public init(
        maxRetriesWithoutProgress: Int = 5,
        firstDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(60),
        maximumRetryAfter: Duration = .seconds(600)
    ) {
        self.maxRetriesWithoutProgress = maxRetriesWithoutProgress
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// Never tries again.
    public static let never = RetryPolicy(maxRetriesWithoutProgress: 0)

    /// The wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: the how-manieth retry since the last that brought something it will be, from 1.
    ///   - retryAfter: what the server asked for.
    ///   - fraction: the jitter, from 0 to 1.
    func delay(before retry: Int, retryAfter: Duration?, fraction: Double) -> Duration {
        // Doubled one by one: a duration that was multiplied first could overflow, and that traps.
        var full = max(.zero, min(firstDelay, maximumDelay))
        for _ in 1..<min(max(retry, 1), 64) where full < maximumDelay {
            full = full < maximumDelay - full ? full * 2 : maximumDelay
        }
        let jitter = full * min(max(fraction, 0), 1)
        guard let retryAfter else { return jitter }
        return max(.zero, min(retryAfter, maximumRetryAfter)) + min(jitter, max(.zero, firstDelay))
    }
}

// MARK: Earlier names

extension RetryPolicy {
    /// The earlier name of ``maxRetriesWithoutProgress``.
    @available(*, deprecated, renamed: "maxRetriesWithoutProgress")
    public var retriesInVain: Int {
        get { maxRetriesWithoutProgress }
        set { maxRetriesWithoutProgress = newValue }
    }

    /// Creates a policy under the earlier name of ``maxRetriesWithoutProgress``.
    @available(
        *,
        deprecated,
        renamed: "init(maxRetriesWithoutProgress:firstDelay:maximumDelay:maximumRetryAfter:)"
    )
    public init(
        retriesInVain: Int,
        firstDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(60),
        maximumRetryAfter: Duration = .seconds(600)
    ) {
        self.init(
            maxRetriesWithoutProgress: retriesInVain,
            firstDelay: firstDelay,
            maximumDelay: maximumDelay,
            maximumRetryAfter: maximumRetryAfter
        )
    }
}
