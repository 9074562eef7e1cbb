import HTTPResumption

/// Where a file may come from: the URL that was enqueued, and its mirrors, in order of preference. Each place has a memory
/// of its own of how it failed. Pure: it has no clock and no lock.
struct Places {
    private struct Place {
        /// `nil` for the URL that was enqueued.
        let url: HTTPURL?
        /// Whether an attempt has failed there.
        var isTried = false
        var retriesWithoutProgress = 0
        /// When it may be asked again; `nil` for at once.
        var due: ContinuousClock.Instant?
        /// Whether it is never asked again.
        var isGivenUp = false
    }

    /// A server that names other places cannot make a download grow without end.
    private static let most = 64

    private var all = [Place(url: nil)]
    /// The index of the place that is asked now.
    private(set) var current = 0
    /// Whether the bytes of one place go on at any other: a checksum proves the file in the end.
    let isVerified: Bool

    init(_ mirrors: [HTTPURL], isVerified: Bool) {
        self.isVerified = isVerified
        add(mirrors)
    }

    /// Adds places behind those that are known.
    mutating func add(_ urls: [HTTPURL]) {
        for url in urls where all.count < Self.most && !all.contains(where: { $0.url == url }) {
            all.append(Place(url: url))
        }
    }

    /// The mirror that is asked now; `nil` for the URL that was enqueued.
    var mirror: HTTPURL? { all[current].url }
    var isTried: Bool { all[current].isTried }
    var retriesWithoutProgress: Int { all[current].retriesWithoutProgress }

    /// The present place has failed.
    ///
    /// - Parameter wait: how long to wait before it may be asked again; `nil` if it never may.
    mutating func failed(retriesWithoutProgress: Int, retryAfter wait: Duration?, now: ContinuousClock.Instant) {
        all[current].isTried = true
        all[current].retriesWithoutProgress = retriesWithoutProgress
        all[current].due = wait.map { now + $0 }
        all[current].isGivenUp = wait == nil
    }

    /// Chooses the place that may be asked first; of those that may be asked at once the preferred one. Returns how long
    /// to wait for it; `nil` if none may be asked ever again.
    mutating func moveOn(now: ContinuousClock.Instant) -> Duration? {
        let next = all.indices.filter { !all[$0].isGivenUp }.min { first, second in
            guard let later = all[second].due else { return false }
            return all[first].due.map { $0 < later } ?? true
        }
        guard let next else { return nil }
        current = next
        return all[next].due.map { max(.zero, $0 - now) } ?? .zero
    }

    /// What to say when all have failed.
    var remark: String {
        all.count == 2
            ? "The other place of the file failed, too." : "The \(all.count - 1) other places of the file failed, too."
    }

    /// Forgets how the places failed.
    mutating func forgetFailures() {
        all = all.map { Place(url: $0.url) }
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
}
