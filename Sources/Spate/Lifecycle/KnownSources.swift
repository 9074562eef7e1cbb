import SpateHTTPSyntax

/// The sources of a download. Most waiting downloads have one, which needs no list.
struct KnownSources {
    /// The tries at the enqueued URL, while it is the only source.
    private var triesOfOnly = Tries()
    /// All sources; `nil` while the enqueued URL is the only one.
    @Rare private(set) var list: Sources?

    /// The number of the source that attempts ask. 0 is the enqueued URL.
    var current: Int { list?.current ?? 0 }

    /// The mirror that attempts ask; `nil` for the enqueued URL.
    var mirror: HTTPURL? { list?.mirror }

    /// Whether the mirror starts from zero, beside the bytes of the enqueued URL.
    var beginsAnew: Bool { list?.beginsAnew ?? false }

    var haveMirrors: Bool { $list != nil }

    /// The size of the enqueued URL's file, if it is known and there are mirrors.
    var originTotal: Int64? { list?.originTotal }

    /// The tries at the present source.
    var tries: Tries {
        get { list?.tries ?? triesOfOnly }
        set { if haveMirrors { list?.tries = newValue } else { triesOfOnly = newValue } }
    }

    /// The origin's file has this size.
    mutating func noteOriginTotal(_ total: Int64?) {
        if let total { list?.originTotal = total }
    }

    /// The file has these mirrors, too.
    ///
    /// - Parameters:
    ///   - isVerified: whether a checksum proves the file, whatever the source. Stays true.
    ///   - isNamed: whether the user named them, not a server.
    mutating func add(mirrors: [HTTPURL], isVerified: Bool, isNamed: Bool) {
        if !haveMirrors, mirrors.isEmpty { return }
        var sources = list ?? Sources(after: triesOfOnly)
        sources.add(mirrors, isNamed: isNamed)
        if isVerified { sources.isVerified = true }
        list = sources
    }

    mutating func forgetFailures() {
        triesOfOnly = Tries()
        list?.forgetFailures()
    }

    /// The present source has failed, and another may be asked now.
    ///
    /// - Parameters:
    ///   - tries: its tries, including this failure.
    ///   - retry: how long to wait before asking it again; `nil` for never.
    /// - Returns: how long to wait for the next attempt; `nil` for none, and then the remark about the mirrors.
    mutating func failed(
        _ attempt: FailedAttempt,
        _ error: DownloadError,
        _ tries: Tries,
        hasAdvanced: Bool,
        retryAfter retry: Duration?,
        now: ContinuousClock.Instant
    ) -> (wait: Duration?, remark: String?) {
        guard var sources = list else {
            triesOfOnly = tries
            return (retry, nil)
        }
        defer { list = sources }
        if error.meansOtherSource {
            sources.failedToJoin(attempt)
        } else {
            sources.failed(attempt, tries, retryAfter: retry, now: now)
        }
        // Another source might have to start from zero, and this one has just made progress.
        let stays = retry != nil && hasAdvanced && !sources.isVerified || !error.mayPassElsewhere
        if stays { return (retry, nil) }
        let wait = sources.moveOn(now: now)
        return (wait, wait == nil ? sources.remark : nil)
    }
}
