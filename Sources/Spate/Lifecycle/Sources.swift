import HTTPResumption
import HTTPSyntax

/// How often a source was tried since the download last began, or was resumed.
struct Tries {
    /// Whether an attempt has failed there: the next one is a retry.
    var hasFailed = false
    /// How many retries in a row made no progress. The first try is not a retry.
    private(set) var retriesWithoutProgress = 0

    /// Another attempt has failed.
    mutating func fail(hasAdvanced: Bool) {
        if hasAdvanced {
            retriesWithoutProgress = 0
        } else if hasFailed {
            retriesWithoutProgress += 1
        }
        hasFailed = true
    }
}

/// Where a file may come from: the URL that was enqueued, and its mirrors, in order of preference. Each source has a memory
/// of its own of how it failed. Pure: it has no clock and no lock.
///
/// What the URL has sent is given up last: a mirror may continue it if that shows that it has the same file, and may begin
/// anew beside it only when the URL has failed for good.
struct Sources {
    private struct Source {
        /// `nil` for the URL that was enqueued.
        let url: HTTPURL?
        /// Whether the user named it. A source that a server names is trusted less.
        let isNamed: Bool
        var tries = Tries()
        /// When it may be asked again; `nil` for at once.
        var due: ContinuousClock.Instant?
        /// Whether it is never asked again.
        var isGivenUp = false
        /// Whether it has shown that it cannot continue what is there.
        var cannotJoin = false
    }

    /// A server that names other sources cannot make a download grow without end.
    private static let most = 64

    private var all: [Source]
    /// The index of the source that is asked now: 0 for the URL that was enqueued.
    private(set) var current = 0
    /// Whether the mirror that is asked begins anew, beside what is there.
    private(set) var beginsAnew = false
    /// What there is for a mirror to continue.
    private var part = FailedAttempt.Part.nothing
    /// The source that has begun it.
    private var partOwner = 0
    /// Whether mirrors are not asked.
    private var staysAtOrigin = false
    /// The size of the URL's file, once that is known.
    var originTotal: Int64?
    /// Whether the bytes of one source go on at any other: a checksum proves the file in the end.
    let isVerified: Bool

    /// - Parameter tries: those of the URL so far.
    init(_ mirrors: [HTTPURL], isVerified: Bool, isNamed: Bool, after tries: Tries = Tries()) {
        self.isVerified = isVerified
        all = [Source(url: nil, isNamed: true, tries: tries)]
        add(mirrors, isNamed: isNamed)
    }

    /// Adds mirrors behind those that are known.
    mutating func add(_ urls: [HTTPURL], isNamed: Bool) {
        for url in urls where all.count < Self.most && !all.contains(where: { $0.url == url }) {
            all.append(Source(url: url, isNamed: isNamed))
        }
    }

    /// The mirror that is asked now; `nil` for the URL that was enqueued.
    var mirror: HTTPURL? { all[current].url }

    /// Those of the source that is asked now.
    var tries: Tries {
        get { all[current].tries }
        set { all[current].tries = newValue }
    }

    /// The present source has failed.
    ///
    /// - Parameter wait: how long to wait before it may be asked again; `nil` if it never may.
    mutating func failed(
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

    /// The present source cannot continue what is there. It may still begin anew.
    mutating func failedToJoin(_ end: FailedAttempt) {
        all[current].cannotJoin = true
        note(end.part)
    }

    private mutating func note(_ found: FailedAttempt.Part?) {
        guard let found else { return }
        if part == .nothing { partOwner = current }
        part = found
    }

    /// Chooses the source that may be asked first; of those that may be asked at once the preferred one. Returns how long
    /// to wait for it; `nil` if none may be asked ever again.
    mutating func moveOn(now: ContinuousClock.Instant) -> Duration? {
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

    /// What to say when all have failed; `nil` if no mirror was asked.
    var remark: String? {
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
    /// Whether another server may do better: the failure is neither of this machine nor of the request.
    var mayPassElsewhere: Bool {
        switch code {
        case .cancelled, .diskFull, .fileExists, .inUse, .fileSystem, .badChecksum, .conflict: false
        default: true
        }
    }

    /// Whether a mirror did not show that it has the file of which there is a part.
    var meansOtherSource: Bool {
        guard let fault = underlying as? ResponseFault, case .otherSource(let cause) = fault.reason else {
            return false
        }
        return cause != .otherTotal
    }
}
