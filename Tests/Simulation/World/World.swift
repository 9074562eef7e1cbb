import Foundation
import Spate
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking

/// A network, a disk, processes with managers, and users who do what they like, all from one seed.
///
/// For some time everything may go wrong. Then the faults stop, and everything must end well within a bounded time.
package final class World {
    package static let folder = "/world/files"
    /// Where some requests put their files.
    static let otherFolder = "/world/elsewhere"
    /// All folders of a world are in it.
    static let top = SimulatedDisk.root

    let timeline: Timeline
    let network: SimulatedNetwork
    let disk: SimulatedDisk
    let traits: WorldTraits
    let faults: Set<WorldFault>
    let faultSeed: UInt64
    /// Whether its faults disturb what nobody else does.
    var isDisturbed = false
    /// The folders that were renamed: from, to, and when.
    var moved: [(folder: String, target: String, time: Duration)] = []
    /// Whether validators can be trusted, so that no file may be a mixture.
    let isHonest: Bool
    let urls: [URL]
    var sessions: [Session] = []
    private(set) var failure: String?
    /// URLs that a document chose. What their requests have for another server must reach nobody.
    var documentURLs: Set<URL> = []
    /// What requests say besides a URL.
    var habits: [URL: RequestHabits] = [:]
    /// What the checksums of requests are of, except for wrong ones.
    var proven: [Checksum: SimulatedContent] = [:]
    /// What Metalinks with right pieces are about. A request that the queue has kept has a part of its Metalink.
    var provenByPieces: [URL: [SimulatedContent]] = [:]
    /// Who wants what was paused, or waited, now, and since when.
    var impatient: [Impatience: Duration] = [:]
    /// How many requests have been looked at.
    var checkedRequests = 0
    /// How many refusals have been looked at.
    var checkedRefusals = 0
    var restraints: [RefusingHost: Restraint] = [:]
    /// Downloads whose operations a user has asked for. They begin in an order of their own.
    var asked: Set<ObjectIdentifier> = []
    var askedDownloads: [Download] = []
    /// What lines have met. See ``Meeting``.
    package internal(set) var meetings: Set<Meeting> = []
    /// URLs of downloads that came back from a queue or a partial file.
    var restored: Set<URL> = []
    /// How many changes of the disk have been looked at.
    var checkedChanges = 0
    /// Downloads that were made to wait for others.
    var dependents: [ObjectIdentifier: Download] = [:]
    /// Their operations, until they are over.
    var dependentOperations: [Operation] = []
    var readers: [Reader] = []
    var closures: [Closures] = []
    var readerCount = 0
    let wallClock = WallClock()
    /// How many managers each process has had: none knows what hosts have said to another.
    var managerCounts: [pid_t: Int] = [:]
    /// From then on nobody wishes for anything.
    private(set) var isEnding = false
    var surroundings: [ObjectIdentifier: Surroundings] = [:]
    static let firstProcess: pid_t = 101
    var lastProcess = firstProcess - 1
    var boot = 0
    /// What ends a process in the middle of what it does, and after how many calls on files.
    var interruption: (kind: Interruption, callsLeft: Int)?
    /// What was told failed, and was not enqueued or deleted since, and when.
    var failed: [URL: Duration] = [:]
    /// What a process that was killed has left.
    var queueAtKill: [URL] = []
    /// What was told finished, and was not deleted since: the path, and the URL that it is of.
    var promised: [String: URL] = [:]
    /// When a user last deleted, replaced or updated what there is of a URL.
    var revoked: [URL: Duration] = [:]
    /// The paths at which another's file may have been replaced, because a user wanted that.
    var overwritten: Set<String> = []
    /// The URLs of whose files an outsider has changed the bytes.
    var altered: Set<URL> = []
    /// URLs of whose parts an outsider has written a byte while nobody had them. Checksums show it.
    var damaged: Set<URL> = []

    /// Longer than any wait that a server or a policy may ask for, so often as a download may need it.
    private static let mostTime = Duration.seconds(7_200)
    private static let mostSteps = 400_000

    /// - Parameter onThreads: plays it the second way: see ``Baton``.
    package init(
        seed: UInt64,
        onThreads: Bool = false,
        forbidding forbidden: Set<NetworkFault> = [],
        with faults: Set<WorldFault> = WorldFault.usual
    ) {
        self.faults = faults
        timeline = Timeline(seed: seed)
        if onThreads { timeline.baton = Baton(timeline) }
        traits = WorldTraits(timeline)
        isHonest = !timeline.onceIn(5)
        network = SimulatedNetwork(
            on: timeline,
            forbidden: isHonest ? forbidden.union(NetworkFault.dishonest) : forbidden
        )
        disk = SimulatedDisk(on: timeline, traits: traits.disk)
        network.populate(
            files: traits.fileCount,
            sizes: traits.sizes,
            hasLines: traits.hasLines,
            hosts: traits.hostCount,
            changingFor: traits.faultTime
        )
        faultSeed = timeline.random.next()
        urls = network.files.compactMap { URL(string: $0.url) }
        for (index, url) in urls.enumerated() { habits[url] = RequestHabits(index, traits, timeline) }
    }

    /// Runs the world to its end. Returns what was wrong first, if anything was.
    package func run() -> String? {
        timeline.baton?.begin()
        plantStrangersFiles()
        planFaults()
        guardSecrets()
        startProcess()
        planWishes()
        planClock()
        planDiskTroubles()
        planOutsiders()
        run(until: { self.timeline.now >= self.traits.faultTime })
        endWell()
        close()
        timeline.baton?.end()
        return failure
    }

    /// Nothing of a world outlives it.
    private func close() {
        end(sessions.map(\.process))
        timeline.close()
        settle()
        timeline.close()
        network.close()
    }

    /// What was in it, in a line.
    package var summary: String {
        "\(timeline.stepCount) steps, \(network.requests.count) requests, \(timeline.now), trace \(timeline.trace.digest)"
    }

    // MARK: Time

    private func run(until isOver: () -> Bool) {
        let limit = timeline.now + Self.mostTime
        repeat {
            while failure == nil, !isOver(), step() {
                if timeline.stepCount > Self.mostSteps { fail("\(Self.mostSteps) steps, and no end") }
                if timeline.now > limit { fail("no end within \(Self.mostTime): \(unfinished)") }
            }
            // What ends now may have given others something to do.
            finishJobs()
        } while failure == nil && !isOver() && !timeline.isEmpty
        endInterrupted()
    }

    /// Nobody is in the middle of anything.
    func finishJobs() {
        timeline.baton?.settle()
        settle()
    }

    private func step() -> Bool {
        guard timeline.step() else { return false }
        settle()
        checkRequests()
        checkRefusals()
        checkHarm()
        if isQuiet {
            // Nothing begins in the middle of the check.
            timeline.baton?.settle()
            checkLimits()
            checkSlots()
            checkDependencies()
        }
        endInterrupted()
        return true
    }

    /// Whether nothing comes in the middle of a job.
    var jobsAreWhole: Bool { timeline.baton == nil }

    /// Whether nobody is in the middle of anything, and Dispatch has nothing to run.
    var isQuiet: Bool { timeline.baton.map { $0.isQuiet && !$0.mainIsDue } ?? true }

    /// Runs what was given to Dispatch.
    func settle() {
        repeat {
            timeline.baton?.seesToMain()
            drainMainQueue()
        } while timeline.baton?.mainIsDue ?? false
    }

    func shown(_ url: URL) -> String { url.lastPathComponent }
    func shown(_ download: Download) -> String { shown(download.url) }

    func fail(_ text: String) {
        if failure == nil {
            failure = text
            timeline.note("FAILED: \(text)")
        }
    }

    // MARK: The end

    private func endWell() {
        guard failure == nil else { return }
        timeline.note("the faults stop")
        isEnding = true
        (interruption, disk.beforeCall) = (nil, nil)
        network.heal()
        (disk.faults, disk.capacity) = (DiskFaults(), nil)
        disk.unlockAll()
        // They have their managers.
        dependentOperations = []
        for session in sessions { traits.leaves ? leave(session) : resumeAll(in: session) }
        settle()
        run(until: { self.sessions.allSatisfy(\.isIdle) && self.batchCount == 0 })
        run(until: { self.timeline.isEmpty })
        guard failure == nil else { return }
        checkHoldings()
        checkClosures()
        for session in sessions { session.close() }
        settle()
        run(until: { self.timeline.isEmpty })
        guard failure == nil else { return }
        if network.runningCount > 0 { fail("\(network.runningCount) transfers are under way at the end") }
        for session in sessions {
            if session.managerLives { fail("a manager that was let go lives on") }
            let (descriptors, locks) = (disk.descriptorCount(of: session.process), disk.lockCount(of: session.process))
            if descriptors > 0 || locks > 0 {
                fail("\(descriptors) descriptors and \(locks) locks are left at the end")
            }
        }
        let left = readers.count { $0.process.isAlive && !$0.isOver }
        if left > 0 { fail("\(left) readers wait for what never comes") }
        checkSecrets()
        checkPromises(after: "everything")
        checkFiles()
        fetchAll()
    }

    private func resumeAll(in session: Session) {
        noteImpatience(for: urls, in: session.process)
        session.resumeAll()
    }

    /// Its manager goes soon, however long hosts have asked to wait, unless somebody else still uses it.
    private func leave(_ session: Session) {
        session.leave()
        timeline.after(.seconds(5), in: session.process) { [self] in
            if session.managerLives, session.fetches.isEmpty, batchCount == 0, !isAsking {
                fail("a manager lives on whose user has cancelled everything and gone")
            }
        }
    }

    /// In a world that has become good, everything can be had.
    private func fetchAll() {
        guard failure == nil else { return }
        end(sessions.map(\.process))
        startProcess()
        guard let manager = sessions.first?.manager else { return }
        timeline.note("everything is fetched")
        var results = ends(of: urls, from: manager)
        // What outsiders wrote into a part can show only when the server's bytes meet it. That attempt drops it, and says
        // that another can help.
        let again = urls.filter { if case .failure(let error) = results[$0] { error.isRetryable } else { false } }
        if traits.deedCount > 0, !again.isEmpty { results.merge(ends(of: again, from: manager)) { $1 } }
        // Whoever finds that an outsider has changed a file has it again by replacing it.
        let changed = urls.filter {
            if case .failure(let error) = results[$0] { error.code == .fileChanged } else { false }
        }
        if traits.deedCount > 0, !changed.isEmpty {
            for url in changed { revokeForReplacement(of: url) }
            results.merge(ends(of: changed, from: manager) { $0.replacesExistingFile = true }) { $1 }
        }
        for url in urls {
            guard case .failure(let error) = results[url] else { continue }
            // A wrong digest of an earlier answer counts for the part that came with it.
            if error.code == .checksumMismatch { continue }
            // Outsiders may have got all the names.
            if error.code == .fileExists, traits.deedCount > 0 { continue }
            fail("\(shown(url)) cannot be had at the end: \(error)")
        }
        checkFiles()
    }

    private func ends(
        of urls: [URL],
        from manager: DownloadManager,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) -> [URL: Result<URL, DownloadError>] {
        let results = Locked<[URL: Result<URL, DownloadError>]>([:])
        for url in urls {
            var request = bareRequest(for: url)
            request.checksForUpdate = true
            change(&request)
            manager.download(request, completion: { result in results.withLock { $0[url] = result } })
        }
        settle()
        run(until: { results.withLock { $0.count } == urls.count })
        return results.withLock { $0 }
    }
}

extension World {
    /// Prints the trace as it comes.
    package func print(_ body: @escaping (String) -> Void) {
        timeline.trace.print = body
    }

    /// Keeps the end of the trace.
    package func keepTrace(_ count: Int) {
        timeline.trace.kept = count
    }

    package var lastLines: [String] { timeline.trace.end }
}
