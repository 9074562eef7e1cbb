import Foundation
import HTTPTransport
import Locking
import PartialFiles
import Spate

/// A network, a disk, processes with managers, and users who do what they like, all from one seed.
///
/// For some time everything may go wrong. Then the faults stop, and everything must end well within a bounded time.
package final class World {
    package static let folder = "/world/files"

    let timeline: Timeline
    let network: SimulatedNetwork
    let disk: SimulatedDisk
    let traits: WorldTraits
    /// Whether validators can be trusted, so that no file may be a mixture.
    let isHonest: Bool
    let urls: [URL]
    var sessions: [Session] = []
    private(set) var failure: String?
    /// When a user wanted what was paused, or waited.
    var impatience: [Duration] = []
    /// How many managers each process has had: none knows what hosts have said to another.
    var managerCounts: [pid_t: Int] = [:]
    /// From then on nobody wishes for anything.
    private(set) var isEnding = false
    var surroundings: [ObjectIdentifier: Surroundings] = [:]
    var lastProcess: pid_t = 100
    var boot = 0
    /// What ends a process in the middle of what it does, and after how many calls on files.
    var interruption: (kind: Interruption, callsLeft: Int)?
    /// What was told finished, and was not deleted since: the path, and the URL that it is of.
    var promised: [String: URL] = [:]
    /// When a user last deleted, replaced or updated what there is of a URL.
    var revoked: [URL: Duration] = [:]
    /// The URLs whose name may have been taken from another's file, because a user wanted that.
    var overwritten: Set<URL> = []

    /// Longer than any wait that a server or a policy may ask for, so often as a download may need it.
    private static let mostTime = Duration.seconds(7_200)
    private static let mostSteps = 400_000

    /// - Parameter onThreads: plays it the second way: see ``Baton``.
    package init(seed: UInt64, onThreads: Bool = false, forbidding forbidden: Set<NetworkFault> = []) {
        timeline = Timeline(seed: seed)
        if onThreads { timeline.baton = Baton(timeline) }
        traits = WorldTraits(timeline)
        isHonest = !timeline.onceIn(5)
        network = SimulatedNetwork(
            on: timeline,
            forbidden: isHonest ? forbidden.union(NetworkFault.dishonest) : forbidden
        )
        disk = SimulatedDisk(on: timeline, traits: traits.disk)
        network.populate(files: traits.fileCount, hosts: traits.hostCount, changingFor: traits.faultTime)
        urls = network.files.compactMap { URL(string: $0.url) }
    }

    /// Runs the world to its end. Returns what was wrong first, if anything was.
    package func run() -> String? {
        timeline.baton?.begin()
        plantStrangersFiles()
        guardSecrets()
        startProcess()
        planWishes()
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
        while failure == nil, !isOver(), step() {
            if timeline.stepCount > Self.mostSteps { fail("\(Self.mostSteps) steps, and no end") }
            if timeline.now > limit { fail("no end within \(Self.mostTime)") }
        }
        finishJobs()
    }

    /// Nobody is in the middle of anything.
    func finishJobs() {
        timeline.baton?.settle()
        settle()
    }

    private func step() -> Bool {
        guard timeline.step() else { return false }
        settle()
        endInterrupted()
        return true
    }

    /// Runs what was given to Dispatch.
    func settle() {
        drainMainQueue()
        drainMainQueue()
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
        impatience.append(timeline.now)
        for session in sessions { session.manager?.resumeAll() }
        settle()
        run(until: { self.sessions.allSatisfy { $0.manager?.downloads.isEmpty ?? true && $0.fetches.isEmpty } })
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
        checkHarm()
        checkRequests()
        checkSecrets()
        checkPromises(after: "everything")
        checkFiles()
        fetchAll()
    }

    /// In a world that has become good, everything can be had.
    private func fetchAll() {
        guard failure == nil else { return }
        end(sessions.map(\.process))
        startProcess()
        guard let manager = sessions.first?.manager else { return }
        timeline.note("everything is fetched")
        let results = Locked<[URL: Result<URL, DownloadError>]>([:])
        for url in urls {
            var request = DownloadRequest(url)
            request.checksForUpdate = true
            manager.download(request, completion: { result in results.withLock { $0[url] = result } })
        }
        settle()
        run(until: { results.withLock { $0.count } == self.urls.count })
        for url in urls {
            guard case .failure(let error) = results.withLock({ $0[url] }) else { continue }
            // A wrong digest of an earlier answer counts for the part that came with it.
            if error.code == .checksumMismatch { continue }
            fail("\(shown(url)) cannot be had at the end: \(error)")
        }
        checkFiles()
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
