import SpateHTTPResumption
import SpateHTTPSyntax

/// How often a source was tried since the download began or was resumed.
struct Tries {
    /// Whether an attempt has failed there: the next one is a retry.
    var hasFailed = false
    /// Whether the last failure was that the name of its host does not exist.
    private(set) var hasNoSuchName = false
    /// Retries in a row without progress. The first try is not a retry.
    private(set) var retriesWithoutProgress = 0
    /// The furthest position of any attempt. Only bytes beyond it are progress: a server without ranges that always
    /// breaks the connection at the same offset sends bytes each time without progress.
    var furthest: Int64 = 0

    /// The number of the next try, from 1.
    var next: Int { hasFailed ? retriesWithoutProgress + 2 : 1 }

    /// Another attempt has failed.
    mutating func fail(hasAdvanced: Bool, hasNoSuchName: Bool = false) {
        self.hasNoSuchName = hasNoSuchName
        if hasAdvanced {
            retriesWithoutProgress = 0
        } else if hasFailed {
            retriesWithoutProgress += 1
        }
        hasFailed = true
    }
}

/// The sources of a file: the enqueued URL and its mirrors, in order of preference. Each source remembers its own
/// failures. Pure: it has no clock and no lock.
///
/// The URL's bytes are given up last: a mirror may continue them after proving that it has the same file. It may start
/// from zero beside them only after the URL has failed for good.
struct Sources {
    private struct Source {
        /// `nil` for the enqueued URL.
        let url: HTTPURL?
        /// Whether the user named it. A source that a server names is trusted less.
        var isNamed: Bool
        var tries = Tries()
        /// When it may be asked again; `nil` for at once.
        var due: ContinuousClock.Instant?
        /// Whether it is never asked again.
        var isGivenUp = false
        /// Whether it has proven unable to continue the part.
        var cannotJoin = false
    }

    /// Servers that name other sources must not make a download grow endlessly.
    private static let most = 64

    private var all: [Source]
    /// The index of the present source: 0 for the enqueued URL.
    private(set) var current = 0
    /// Whether the present mirror starts from zero, beside the part.
    private(set) var beginsAnew = false
    /// The part for a mirror to continue.
    private var part = FailedAttempt.Part.nothing
    /// The source of that part.
    private var partOwner = 0
    /// Whether mirrors are not asked.
    private var staysAtOrigin = false
    /// The size of the URL's file, once known.
    var originTotal: Int64?
    /// Whether any source may continue any other's bytes: a checksum proves the file in the end.
    private(set) var isVerified = false

    /// The enqueued URL alone, untried.
    static let untried = Sources()

    private init() {
        all = [Source(url: nil, isNamed: true)]
    }

    var haveMirrors: Bool { all.count > 1 }

    /// Adds mirrors after the known ones. If the user names one that a server has named, it is trusted like the user's.
    ///
    /// - Parameters:
    ///   - isVerified: whether a checksum proves the file, whatever the source. Stays true.
    ///   - isNamed: whether the user named them, not a server.
    mutating func add(mirrors: [HTTPURL], isVerified: Bool, isNamed: Bool) {
        if isVerified { self.isVerified = true }
        for url in mirrors {
            if let known = all.firstIndex(where: { $0.url == url }) {
                if isNamed { all[known].isNamed = true }
            } else if all.count < Self.most {
                all.append(Source(url: url, isNamed: isNamed))
            }
        }
    }

    /// The present mirror; `nil` for the enqueued URL.
    var mirror: HTTPURL? { all[current].url }

    /// The tries at the present source.
    var tries: Tries {
        get { all[current].tries }
        set { all[current].tries = newValue }
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
        if !haveMirrors {
            self.tries = tries
            return (retry, nil)
        }
        if error.meansOtherSource {
            failedToJoin(attempt)
        } else {
            failed(attempt, tries, retryAfter: retry, now: now)
        }
        // Another source might have to start from zero, and this one has just made progress.
        let stays = retry != nil && hasAdvanced && !isVerified || !error.mayPassElsewhere
        if stays { return (retry, nil) }
        let wait = moveOn(now: now)
        return (wait, wait == nil ? remark : nil)
    }

    /// - Parameter wait: how long to wait before asking it again; `nil` for never.
    private mutating func failed(
        _ end: FailedAttempt,
        _ tries: Tries,
        retryAfter wait: Duration?,
        now: ContinuousClock.Instant
    ) {
        all[current].tries = tries
        all[current].due = wait.map { now + $0 }
        all[current].isGivenUp = wait == nil
        note(end.part)
        staysAtOrigin = end.staysAtOrigin
    }

    /// The present source cannot continue the part. A mirror may still start from zero beside it. The URL has contradicted
    /// what the Metalink's pieces prove, and would do so again.
    private mutating func failedToJoin(_ end: FailedAttempt) {
        all[current].cannotJoin = true
        if current == 0 { all[current].isGivenUp = true }
        note(end.part)
    }

    private mutating func note(_ found: FailedAttempt.Part?) {
        guard let found else { return }
        if part == .nothing { partOwner = current }
        part = found
    }

    /// Chooses the source that may be asked first; of several at once, the preferred one. Returns how long to wait for
    /// it; `nil` if none may be asked again.
    private mutating func moveOn(now: ContinuousClock.Instant) -> Duration? {
        let next = all.indices.filter(mayBeAsked).min { first, second in
            guard let later = all[second].due else { return false }
            return all[first].due.map { $0 < later } ?? true
        }
        guard let next else { return nil }
        current = next
        beginsAnew = next > 0 && part != .nothing && !canJoin(next)
        return all[next].due.map { max(.zero, $0 - now) } ?? .zero
    }

    private func mayBeAsked(_ index: Int) -> Bool {
        if all[index].isGivenUp { return false }
        if index == 0 || part == .nothing { return index == 0 || !staysAtOrigin }
        if staysAtOrigin { return false }
        return canJoin(index) || all[0].isGivenUp && (all[index].isNamed || isVerified)
    }

    private func canJoin(_ index: Int) -> Bool {
        (part == .joinable || index == partOwner) && !all[index].cannotJoin
    }

    /// The remark after all have failed; `nil` if no mirror was asked.
    private var remark: String? {
        guard all.dropFirst().contains(where: { $0.tries.hasFailed || $0.cannotJoin }) else { return nil }
        return all.count == 2
            ? "The other place of the file failed, too." : "The \(all.count - 1) other places of the file failed, too."
    }

    /// Forgets how the sources failed.
    mutating func forgetFailures() {
        all = all.map { Source(url: $0.url, isNamed: $0.isNamed) }
    }
}

extension DownloadError {
    /// Whether another server may help: the failure is neither of this machine nor of the request.
    var mayPassElsewhere: Bool {
        switch code {
        case .cancelled, .diskFull, .fileExists, .fileChanged, .inUse, .fileSystem, .badChecksum, .conflict: false
        default: true
        }
    }

    /// Whether a mirror did not prove that it has the file of the existing part.
    var meansOtherSource: Bool {
        guard let fault = underlying as? ResponseFault, case .otherSource(let cause) = fault.reason else {
            return false
        }
        return cause != .otherTotal
    }
}
