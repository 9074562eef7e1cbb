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
    private(set) var sessions: [Session] = []
    private(set) var failure: String?
    /// When a user wanted what was paused, or waited.
    var impatience: [Duration] = []
    /// How many managers each process has had: none knows what hosts have said to another.
    private var managerCounts: [pid_t: Int] = [:]
    /// From then on nobody wishes for anything.
    private(set) var isEnding = false
    private var surroundings: [ObjectIdentifier: Surroundings] = [:]
    private var lastProcess: pid_t = 100
    private var boot = 0
    /// What was told finished, and was neither deleted nor touched by others since: the path and what it had.
    private var promised: [String: Promise] = [:]
    /// What others have changed or made: their bytes are nobody's promise.
    private var touched: Set<String> = []

    private struct Promise {
        let url: URL
        let inode: UInt64
    }

    /// Longer than any wait that a server or a policy may ask for, so often as a download may need it.
    private static let mostTime = Duration.seconds(7_200)
    private static let mostSteps = 400_000

    package init(seed: UInt64, forbidding forbidden: Set<NetworkFault> = []) {
        timeline = Timeline(seed: seed)
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
        startProcess()
        planWishes()
        run(until: { self.timeline.now >= self.traits.faultTime })
        endWell()
        close()
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
    }

    private func step() -> Bool {
        guard timeline.step() else { return false }
        settle()
        endInterrupted()
        return true
    }

    // MARK: Ends in the middle

    /// What ends a process at one of its next calls on files.
    enum Interruption {
        case kill, powerCut
    }

    private var interruption: (kind: Interruption, callsLeft: Int)?

    /// Has the process that comes to it end in the middle of what it does.
    func plan(_ kind: Interruption, afterCalls count: Int) {
        interruption = (kind, count)
        disk.beforeCall = { [unowned self] process, call in
            guard let planned = interruption, planned.callsLeft >= 0 else { return }
            interruption?.callsLeft -= 1
            guard planned.callsLeft == 0 else { return }
            timeline.note("process \(process.number) ends before its call: \(call)")
            disk.kill(process)
        }
    }

    /// The world notices that a process has ended in the middle.
    private func endInterrupted() {
        guard let planned = interruption, planned.callsLeft < 0 else { return }
        (interruption, disk.beforeCall) = (nil, nil)
        switch planned.kind {
        case .powerCut: cutPower()
        case .kill:
            end(sessions.map(\.process).filter { !$0.isAlive })
            startProcess()
        }
    }

    /// Runs what was given to Dispatch.
    func settle() {
        drainMainQueue()
        drainMainQueue()
    }

    func fail(_ text: String) {
        if failure == nil {
            failure = text
            timeline.note("FAILED: \(text)")
        }
    }

    // MARK: Processes

    private func startProcess() {
        lastProcess += 1
        let process = SimulatedProcess(lastProcess, on: timeline)
        timeline.note("process \(lastProcess) starts")
        startManager(in: process)
    }

    func startManager(in process: SimulatedProcess) {
        managerCounts[process.number, default: 0] += 1
        let key = ObjectIdentifier(process)
        let shared =
            surroundings[key]
            ?? Surroundings(
                transport: network.transport(for: process),
                platform: disk.platform(
                    for: process,
                    boot: BootID(String(format: "00000000-0000-0000-0000-%012x", boot))
                )
            )
        surroundings[key] = shared
        sessions.append(Session(self, process: process, in: shared))
    }

    /// Ends a process without a word, and starts another.
    func kill(_ process: SimulatedProcess) {
        timeline.note("process \(process.number) is killed")
        end([process])
        startProcess()
    }

    func cutPower() {
        timeline.note("the power is cut")
        end(sessions.map(\.process))
        disk.cutPower()
        boot += 1
        checkPromises(after: "a power cut")
        startProcess()
    }

    private func end(_ processes: [SimulatedProcess]) {
        for process in processes {
            disk.kill(process)
            surroundings[ObjectIdentifier(process)] = nil
        }
        timeline.removeDead()
        network.removeDead()
        let ended = sessions.filter { !$0.process.isAlive }
        sessions.removeAll { !$0.process.isAlive }
        for session in ended { session.close() }
        settle()
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
        run(until: { self.sessions.allSatisfy { $0.manager?.downloads.isEmpty ?? true } })
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
            guard case .failure(let error) = results.withLock({ $0[url] }), touched.isEmpty else { continue }
            // A wrong digest of an earlier answer counts for the part that came with it.
            if error.code == .checksumMismatch { continue }
            fail("\(shown(url)) cannot be had at the end: \(error)")
        }
        checkFiles()
    }

    // MARK: What is told

    func shown(_ url: URL) -> String { url.lastPathComponent }
    func shown(_ download: Download) -> String { shown(download.url) }

    func noteFinished(_ download: Download, at file: URL) {
        let path = file.path
        timeline.note("\(shown(download)) is told finished at \(file.lastPathComponent)")
        if touched.contains(path) { return }
        guard let content = disk.content(of: path), let inode = disk.status(of: path)?.st_ino else {
            // Deleted since, or replaced by another download of the same name.
            return
        }
        check(content, of: download.url, at: path)
        promised[path] = Promise(url: download.url, inode: UInt64(inode))
    }

    func noteFallen(_ download: Download, from old: Int64, to new: Int64) {
        timeline.note("\(shown(download)) falls from \(old) to \(new)")
    }

    /// The user deletes what there is of a URL, or replaces it.
    func forgetPromises(of url: URL?) {
        promised = promised.filter { url != nil && $0.value.url != url }
    }

    // MARK: What must hold

    private func check(_ content: [UInt8], of url: URL, at path: String) {
        guard isHonest, !touched.contains(path) else { return }
        let mirrors = network.file(at: url.absoluteString)?.mirrors.map(\.url) ?? []
        let known = network.contents(of: url.absoluteString, orAt: mirrors)
        if !known.contains(where: { $0.isSame(as: content) }) {
            fail("\(shown(url)): \(content.count) bytes at \(path) that are no version of it")
        }
    }

    private func checkPromises(after event: String) {
        if traits.disk.kind == .tmpfs { return }
        for (path, promise) in promised.sorted(by: { $0.key < $1.key }) where !touched.contains(path) {
            if disk.content(of: path) == nil { fail("\(shown(promise.url)) is gone from \(path) after \(event)") }
        }
    }

    private func checkHarm() {
        for change in disk.changes where change.isHarm {
            fail("\(change.kind) at \(change.path), which is another's")
        }
    }

    private func checkRequests() {
        for request in network.earlyRequests {
            guard let end = request.quietUntil,
                let wait = request.quietCause.flatMap({ network.requests[$0].retryAfter })
            else { continue }
            if managerCounts[request.process] != 1 { continue }
            // Nobody waits longer than the policy allows, and what a user has resumed is asked for all the same.
            let (heard, longest) = (end - wait, min(wait, traits.retry.maximumRetryAfter))
            if request.time >= heard + longest || impatience.contains(where: { $0 <= request.time }) { continue }
            fail("request \(request.number) came before its host's Retry-After was over")
        }
        for leak in network.leaks { fail("request \(leak.request) had a secret in \(leak.field)") }
    }

    /// Every file under a final name is a version of what it says that it is.
    private func checkFiles() {
        for path in disk.files(below: Self.folder) where !path.hasSuffix(".part") && !touched.contains(path) {
            guard let origin = disk.attributes(of: path)?["user.xdg.origin.url"], let url = URL(string: origin),
                let content = disk.content(of: path)
            else { continue }
            check(content, of: url, at: path)
        }
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
