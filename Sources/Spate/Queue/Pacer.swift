import Dispatch
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePacing
import SpateSplitting
import SpateTiming
import Synchronization

/// Finds out how many downloads at once, and how many connections for the same files, help. See ``Pace`` and
/// ``HelperPace``.
final class Pacer: Sendable {
    private struct State {
        var concurrency: DownloadConcurrency
        /// `nil` if the number of downloads is exact.
        var downloads: Pace?
        var connections: HelperPace
        /// What further connections might be good for, for each file that may have some.
        var wishes: [ObjectIdentifier: SegmentPlan.Wish] = [:]
        var isTicking = false
        /// Whether some time has passed without a look.
        var hasRested = true
        /// Ends so many downloads.
        var endsLatest: (@Sendable (Int) -> Void)?
        /// The last limit that was reported, and when.
        var reported: (limit: Int, time: Duration)

        /// - Parameter bound: what the process can bear.
        init(_ concurrency: DownloadConcurrency, bound: Int, now: Duration) {
            self.concurrency = concurrency
            connections = HelperPace(atMost: Pacer.mostConnections, now: now)
            reported = (concurrency.most, now)
            start(concurrency, at: Pace.start, bound: bound, now: now)
            reported = (limit, now)
        }

        /// - Parameter present: where an automatic number begins.
        mutating func start(_ concurrency: DownloadConcurrency, at present: Int, bound: Int, now: Duration) {
            self.concurrency = concurrency
            guard case .automatic(let most) = concurrency else { return downloads = nil }
            downloads = Pace(atMost: min(most, bound), from: present, now: now)
        }

        var limit: Int { downloads?.limit ?? concurrency.most }

        /// What to report, if anything has changed and the last report was some time ago.
        ///
        /// - Parameter reason: `nil` for the controller's own.
        mutating func change(because reason: ConcurrencyChange.Reason?, now: Duration) -> ConcurrencyChange? {
            let isDue = reason != nil || !isTicking || now - reported.time >= Pacer.quietTime
            let reason = reason ?? downloads?.reason.map { ConcurrencyChange.Reason($0) }
            guard let reason, isDue, limit != reported.limit else { return nil }
            defer { reported = (limit, now) }
            return ConcurrencyChange(limit: limit, former: reported.limit, reason: reason)
        }
    }

    private let state: Locked<State>
    private let rate: RateLimit
    private let platform: Platform
    private let changed: (@Sendable (ConcurrencyChange) -> Void)?
    private let callbacks: DispatchQueue
    /// Whether the number of downloads is automatic.
    private let isAutomaticNow: Atomic<Bool>
    private static let interval = Duration.milliseconds(25)
    /// Its connection, its file and its folder, and as many again for the rest of the program.
    private static let descriptorsOfDownload = 6
    /// Many small changes in a row are one for observers.
    private static let quietTime = Duration.milliseconds(250)
    private static let mostConnections = 64

    init(_ configuration: DownloadManager.Configuration, _ rate: RateLimit, on platform: Platform) {
        (self.rate, self.platform) = (rate, platform)
        (changed, callbacks) = (configuration.concurrencyChanged, configuration.callbackQueue)
        let bound = platform.mostDescriptors() / Self.descriptorsOfDownload
        let state = State(configuration.concurrency, bound: bound, now: .zero)
        isAutomaticNow = Atomic(state.downloads != nil)
        self.state = Locked(state)
    }

    var concurrency: DownloadConcurrency { state.withLock { $0.concurrency } }

    /// How many downloads may run for now.
    var limit: Int { state.withLock { $0.limit } }

    /// The program wants another number.
    func set(_ concurrency: DownloadConcurrency, in feed: OperationFeed) {
        let (now, bound) = (feed.now, platform.mostDescriptors() / Self.descriptorsOfDownload)
        let (limit, change) = state.withLock { state in
            state.start(concurrency, at: state.limit, bound: bound, now: now)
            // What has come by now says nothing of it.
            state.hasRested = true
            isAutomaticNow.store(state.downloads != nil, ordering: .relaxed)
            return (state.limit, state.change(because: .set, now: now))
        }
        feed.limit = limit
        report(change)
        if isAutomatic { startTicking(feed) }
    }

    private func report(_ change: ConcurrencyChange?) {
        guard let change, let changed else { return }
        callbacks.async { changed(change) }
    }

    /// What ends the latest downloads, if a server does not bear so many.
    func onSurplus(_ end: @escaping @Sendable (Int) -> Void) { state.withLock { $0.endsLatest = end } }

    // MARK: Downloads

    /// Whether the number is to be found out. Asking costs nothing.
    var isAutomatic: Bool { isAutomaticNow.load(ordering: .relaxed) }

    /// A download begins, or waits.
    func begin(in feed: OperationFeed) {
        if isAutomatic { startTicking(feed) }
    }

    /// Something has happened to a download. Does nothing if the number is exact.
    func note(in feed: OperationFeed, _ event: (inout Pace, Duration) -> Void) {
        let now = feed.now
        apply(
            state.withLock { state in
                if var pace = state.downloads {
                    event(&pace, now)
                    state.downloads = pace
                }
                return state.limit
            },
            feed
        )
    }

    private func apply(_ limit: Int, _ feed: OperationFeed) {
        if limit != feed.limit { feed.limit = limit }
    }

    // MARK: Connections

    /// A file may soon have further connections.
    ///
    /// - Parameters:
    ///   - answer: how long its request took.
    ///   - helpful: how many connections have helped with the last file of its host.
    func begin(answeredAfter answer: Duration, helpful: Int?, in feed: OperationFeed) {
        let now = feed.now
        state.withLock { state in
            state.connections.answered(sent: now - answer, now: now)
            if let helpful { state.connections.expect(helpful) }
        }
        startTicking(feed)
    }

    /// What further connections of a file might be good for; `nil` if it has one for good.
    func note(_ wish: SegmentPlan.Wish?, of file: ObjectIdentifier) { state.withLock { $0.wishes[file] = wish } }

    /// How many connections of a file have helped of late; `nil` if none was tried.
    var helpfulCount: Int? { state.withLock { $0.connections.lesson } }

    /// How many files may have several connections.
    var fileCount: Int { state.withLock { $0.wishes.count } }

    /// Limits the helpers of a file.
    ///
    /// - Parameters:
    ///   - open: how many connections the file has.
    ///   - count: how many are open for all files.
    func limit(_ room: inout HostRoom, open: Int, ofAll count: Int) {
        state.withLock { state in
            let limit = state.connections.limit
            let files = max(1, state.wishes.count)
            let share = (limit + files - 1) / files
            room.helpers = max(0, min(room.helpers, limit - count, share - open))
            room.mostOfPart = state.connections.partOfTrial
            if state.connections.endsSurplus { room.surplus = max(0, open - share) }
        }
    }

    // MARK: Time

    private func startTicking(_ feed: OperationFeed) {
        let begins = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if begins { feed.runtime.after(Self.interval) { [weak feed] in feed.map { $0.pacer.tick($0) } } }
    }

    private func tick(_ feed: OperationFeed) {
        let facts = feed.paceFacts
        let bytes = rate.takeArrived()
        let (isLimited, now) = (rate.bytesPerSecond != nil, feed.now)
        let (limit, change, endsLatest, goesOn) = state.withLock { state in
            let isHeldBack = facts.isDiskFull || isLimited || state.hasRested
            state.downloads?.tick(
                bytes: bytes,
                running: facts.running,
                waiting: facts.waiting,
                isHeldBack: isHeldBack || facts.waiting == 0,
                now: now
            )
            // Files come first.
            let areFilesFirst = state.downloads != nil && facts.waiting > 0
            state.connections.tick(
                bytes: bytes,
                downloads: facts.running,
                connections: facts.connections,
                files: areFilesFirst ? nil : HelperPace.Files(state.wishes.values),
                isHeldBack: isHeldBack,
                now: now
            )
            // While none waits and no file may have more connections, there is nothing to find out.
            state.isTicking = areFilesFirst && facts.running > 0 || !state.wishes.isEmpty
            state.hasRested = !state.isTicking
            let endsLatest = state.downloads?.endsSurplus ?? false ? state.endsLatest : nil
            return (state.limit, state.change(because: nil, now: now), endsLatest, state.isTicking)
        }
        apply(limit, feed)
        report(change)
        endsLatest?(facts.running - limit)
        if goesOn { feed.runtime.after(Self.interval) { [weak feed] in feed.map { $0.pacer.tick($0) } } }
    }
}

extension HelperPace.Files {
    /// `nil` without any file.
    fileprivate init?(_ wishes: some Collection<SegmentPlan.Wish>) {
        if wishes.isEmpty { return nil }
        self.init(most: wishes.count * SegmentPlan.mostAutomatic, left: 0, isHasty: false)
        for wish in wishes {
            switch wish {
            case .none: break
            case .more(let bytes, let isPrompt):
                left += bytes
                self.isPrompt = self.isPrompt || isPrompt
            case .haste: isHasty = true
            }
        }
    }
}

extension OperationFeed {
    fileprivate var paceFacts: (running: Int, connections: Int, waiting: Int, isDiskFull: Bool) {
        state.withLock { ($0.running + $0.handedOver, $0.connections, $0.line.count, $0.disk.isFull) }
    }
}

extension OperationFeed.State {
    /// How many connections fetch files.
    var connections: Int { running + handedOver + hosts.helperCount }
}
