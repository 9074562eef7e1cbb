import Dispatch
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePacing
import SpateSplitting
import SpateTiming

/// Finds out how many downloads at once, and how many connections for the same files, help. See ``Pace`` and
/// ``HelperPace``.
final class Pacer: Sendable {
    struct State {
        var concurrency: DownloadConcurrency
        /// `nil` if the number of downloads is exact.
        var downloads: Pace?
        var hosts = PacedHosts()
        var connections: HelperPace
        var wishes = ConnectionWishes()
        var isTicking = false
        /// Whether some time has passed without a look.
        var hasRested = true
        /// Ends so many downloads, of a host or of any.
        var endsLatest: (@Sendable (Int, HTTPOrigin?) -> Void)?
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
            hosts = PacedHosts()
            guard case .automatic(let most) = concurrency else { return downloads = nil }
            downloads = Pace(atMost: min(most, bound), from: present, now: now)
        }

        var limit: Int { downloads?.limit ?? concurrency.most }

        /// What to report of hosts.
        mutating func hostReports(_ now: Duration) -> [ConcurrencyChange] {
            let downloads = downloads
            return hosts.takeReports(after: isTicking ? Pacer.quietTime : .zero, now) { downloads?.limit(of: $0) }
        }

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

    let state: Locked<State>
    private let rate: RateLimit
    private let platform: Platform
    let lessons: Locked<HostLessons>
    private let changed: (@Sendable (ConcurrencyChange) -> Void)?
    private let callbacks: DispatchQueue
    private static let interval = Duration.milliseconds(25)
    /// Its connection, its file and its folder, and as many again for the rest of the program.
    private static let descriptorsOfDownload = 6
    /// Many small changes in a row are one for observers.
    private static let quietTime = Duration.milliseconds(250)
    private static let mostConnections = 64

    init(_ configuration: DownloadManager.Configuration, _ rate: RateLimit, in surroundings: Surroundings) {
        (self.rate, platform, lessons) = (rate, surroundings.platform, surroundings.lessons)
        (changed, callbacks) = (configuration.concurrencyChanged, configuration.callbackQueue)
        let bound = platform.mostDescriptors() / Self.descriptorsOfDownload
        state = Locked(State(configuration.concurrency, bound: bound, now: .zero))
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
            return (state.limit, state.change(because: .set, now: now))
        }
        // Hosts are looked at anew.
        feed.forgetHostLimits()
        feed.limit = limit
        report(change)
        if isAutomatic { startTicking(feed) }
    }

    func report(_ change: ConcurrencyChange?) {
        guard let change, let changed else { return }
        callbacks.async { changed(change) }
    }

    /// What ends the latest downloads, of a host or of any, if a server does not bear so many.
    func onSurplus(_ end: @escaping @Sendable (Int, HTTPOrigin?) -> Void) { state.withLock { $0.endsLatest = end } }

    // MARK: Downloads

    /// Whether the number is to be found out.
    var isAutomatic: Bool { state.withLock { $0.downloads != nil } }

    /// A download begins, or waits.
    func begin(in feed: OperationFeed) {
        if isAutomatic { startTicking(feed) }
    }

    /// A download's request has received its first byte. See ``Pace/answered(sent:size:now:)``.
    func answered(sent: Duration, size: Int64?, in feed: OperationFeed) {
        let now = feed.now
        apply(
            state.withLock { state in
                state.downloads?.answered(sent: sent, size: size, now: now)
                return state.limit
            },
            feed
        )
    }

    /// A download of a host has ended. See ``Pace/ended(sent:isKnown:host:now:)``.
    func ended(at host: HTTPOrigin, sent: Duration, isKnown: Bool, in feed: OperationFeed) {
        let now = feed.now
        apply(
            state.withLock { state in
                state.downloads?.ended(sent: sent, isKnown: isKnown, host: state.hosts[host]?.number, now: now)
                return state.limit
            },
            feed
        )
    }

    func apply(_ limit: Int, _ feed: OperationFeed) {
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
    func note(_ wish: SegmentPlan.Wish?, of file: ObjectIdentifier) {
        state.withLock { $0.wishes.note(wish, of: file) }
    }

    /// How many connections of a file have helped of late; `nil` if none was tried.
    var helpfulCount: Int? { state.withLock { $0.connections.lesson } }

    /// How many files may have several connections.
    var fileCount: Int { state.withLock { $0.wishes.count } }

    /// Limits the helpers of a file.
    ///
    /// - Parameters:
    ///   - open: how many connections the file has.
    ///   - count: how many are open for all files.
    func limit(_ room: inout HostRoom, of file: ObjectIdentifier, open: Int, ofAll count: Int) {
        state.withLock { state in
            let limit = state.connections.limit
            let share = state.wishes.share(of: file, in: limit)
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
        let facts = feed.paceFacts(state.withLock { $0.hosts.all })
        // What it bears is remembered for when it comes back.
        for (host, load) in facts.hosts where load.isIdle && load.isPaced { feed.limit(host.name) { _ in nil } }
        let bytes = rate.arrived.take()
        let (isLimited, now) = (rate.bytesPerSecond != nil, feed.now)
        let looked = state.withLock { state in
            let isHeldBack = facts.isDiskFull || isLimited || state.hasRested
            let changes =
                state.downloads?.tick(
                    bytes: bytes,
                    running: facts.running,
                    waiting: facts.waiting,
                    isHeldBack: isHeldBack || facts.waiting == 0,
                    hosts: state.hosts.facts(facts.hosts, isHeldBack: isHeldBack, othersWait: facts.waiting > 0),
                    now: now
                ) ?? []
            // Files come first.
            let areFilesFirst = state.downloads != nil && facts.waiting > 0
            state.connections.tick(
                bytes: bytes,
                downloads: facts.running,
                connections: facts.connections,
                files: areFilesFirst ? nil : state.wishes.files,
                isHeldBack: isHeldBack,
                now: now
            )
            // While none waits and no file may have more connections, there is nothing to find out.
            let mayFindOut = state.downloads != nil && facts.waiting + facts.waitingForHosts > 0 && facts.running > 0
            state.isTicking = mayFindOut || !state.wishes.isEmpty
            state.hasRested = !state.isTicking
            return Look(
                limit: state.limit,
                change: state.change(because: nil, now: now),
                hostReports: state.hostReports(now),
                hostChanges: changes.compactMap { change in state.hosts.name(of: change.host).map { ($0, change) } },
                lesson: state.hosts.learn(state.downloads?.settled).map { ($0, state.limit) },
                hasCollapsed: state.downloads?.reason == .collapse,
                endsLatest: state.endsLatest,
                endsSurplus: state.downloads?.endsSurplus ?? false,
                goesOn: state.isTicking
            )
        }
        follow(looked, facts.running, in: feed)
        if looked.goesOn { feed.runtime.after(Self.interval) { [weak feed] in feed.map { $0.pacer.tick($0) } } }
    }

    /// What a look has brought.
    private struct Look {
        let limit: Int
        let change: ConcurrencyChange?
        let hostReports: [ConcurrencyChange]
        let hostChanges: [(HTTPOrigin, HostChange)]
        /// How many downloads are right for a host.
        let lesson: (HTTPOrigin, Int)?
        /// Whether that is what was left after a collapse.
        let hasCollapsed: Bool
        let endsLatest: (@Sendable (Int, HTTPOrigin?) -> Void)?
        let endsSurplus: Bool
        let goesOn: Bool
    }

    private func follow(_ look: Look, _ running: Int, in feed: OperationFeed) {
        apply(look.limit, feed)
        report(look.change)
        look.hostReports.forEach(report)
        for (host, change) in look.hostChanges { follow(change, of: host, look.endsLatest, in: feed) }
        if let (host, count) = look.lesson {
            lessons.withLock { lessons in
                lessons.learn(host) { known in
                    known.downloads = count
                    if look.hasCollapsed || known.borne.map({ $0 < count }) ?? false { known.borne = count }
                }
            }
        }
        if look.endsSurplus { look.endsLatest?(running - look.limit, nil) }
    }
}

extension OperationFeed {
    /// What ``Pacer`` looks at.
    fileprivate struct PaceFacts {
        let running: Int
        let connections: Int
        let waiting: Int
        let waitingForHosts: Int
        let isDiskFull: Bool
        let hosts: [(PacedHosts.Host, PacedHosts.Load)]
    }

    fileprivate func paceFacts(_ hosts: [PacedHosts.Host]) -> PaceFacts {
        state.withLock { state in
            PaceFacts(
                running: state.running + state.handedOver,
                connections: state.connections,
                waiting: state.line.count,
                waitingForHosts: state.hosts.count,
                isDiskFull: state.disk.isFull,
                hosts: hosts.map { ($0, state.hosts.load(of: $0.name)) }
            )
        }
    }
}

extension OperationFeed.State {
    /// How many connections fetch files.
    var connections: Int { running + handedOver + hosts.helperCount }
}
