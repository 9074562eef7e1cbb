import SpateHTTPSyntax

/// The sources of a download. Most waiting downloads have one, which needs no list.
enum KnownSources {
    /// The enqueued URL only.
    case one(Tries)
    indirect case several(Sources)

    /// The number of the source that attempts ask. 0 is the enqueued URL.
    var current: Int { if case .several(let sources) = self { sources.current } else { 0 } }

    /// The mirror that attempts ask; `nil` for the enqueued URL.
    var mirror: HTTPURL? { if case .several(let sources) = self { sources.mirror } else { nil } }

    /// Whether the mirror starts from zero, beside the bytes of the enqueued URL.
    var beginsAnew: Bool { if case .several(let sources) = self { sources.beginsAnew } else { false } }

    var haveMirrors: Bool { if case .several = self { true } else { false } }

    /// The size of the enqueued URL's file, if it is known and there are mirrors.
    var originTotal: Int64? { if case .several(let sources) = self { sources.originTotal } else { nil } }

    /// The tries at the present source.
    var tries: Tries {
        get {
            switch self {
            case .one(let tries): tries
            case .several(let sources): sources.tries
            }
        }
        set {
            switch self {
            case .one: self = .one(newValue)
            case .several(var sources):
                sources.tries = newValue
                self = .several(sources)
            }
        }
    }

    /// The origin's file has this size.
    mutating func noteOriginTotal(_ total: Int64?) {
        guard case .several(var sources) = self, let total, sources.originTotal != total else { return }
        sources.originTotal = total
        self = .several(sources)
    }

    /// The file has these mirrors, too.
    ///
    /// - Parameters:
    ///   - isVerified: whether a checksum proves the file, whatever the source. Stays true.
    ///   - isNamed: whether the user named them, not a server.
    mutating func add(mirrors: [HTTPURL], isVerified: Bool, isNamed: Bool) {
        switch self {
        case .one where mirrors.isEmpty: break
        case .one(let tries):
            self = .several(Sources(mirrors, isVerified: isVerified, isNamed: isNamed, after: tries))
        case .several(var sources):
            sources.add(mirrors, isNamed: isNamed)
            if isVerified { sources.isVerified = true }
            self = .several(sources)
        }
    }

    mutating func forgetFailures() {
        switch self {
        case .one: self = .one(Tries())
        case .several(var sources):
            sources.forgetFailures()
            self = .several(sources)
        }
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
        guard case .several(var sources) = self else {
            self = .one(tries)
            return (retry, nil)
        }
        defer { self = .several(sources) }
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
