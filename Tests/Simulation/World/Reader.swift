import Foundation
import Spate
import SpateTiming

/// A task of a user that reads what happens, until all is told, it has seen enough, or it is cancelled.
// One thread at a time works in a world.
final class Reader: @unchecked Sendable {
    enum Kind {
        case download(Download)
        case file(Download)
        case manager(AsyncStream<(download: Download, event: DownloadEvent)>)
        case ends(AsyncStream<[Download]>)
        /// Enqueues URLs with nothing else, and reads how they end.
        case results(DownloadManager, [URL])
        case files(DownloadManager, [URL])
        case verification(AsyncStream<(file: URL, result: VerificationResult)>, isOnline: Bool)
    }

    let process: SimulatedProcess
    /// Whether it has left its loop.
    private(set) var isOver = false
    /// Whether it enqueues.
    private(set) var isBatch = false
    /// Whether it verifies online.
    private(set) var isAsking = false
    private unowned let world: World
    let number: Int
    private let executor: (any TaskExecutor)?
    private var task: Task<Void, Never>?
    private var isCancelled = false
    private var began = Duration.zero
    private var orders: [ObjectIdentifier: (download: Download, order: StateOrder)] = [:]
    /// How many elements it reads before it leaves the loop.
    private var left: Int

    init(_ number: Int, of world: World, in process: SimulatedProcess, leavingAfter count: Int) {
        (self.number, self.world, self.process, left) = (number, world, process, count)
        executor = process.runtime.executor
    }

    func begin(_ kind: Kind) {
        began = world.timeline.now
        switch kind {
        case .results, .files: isBatch = true
        case .verification(_, let isOnline): isAsking = isOnline
        default: break
        }
        task = Task(executorPreference: executor) { [self] in
            await read(kind)
            isOver = true
            orders = [:]
            world.timeline.note("reader \(number) is over")
        }
        // On threads the time to cancel it may come before this.
        if isCancelled { task?.cancel() }
    }

    func cancel() {
        if isOver { return }
        world.timeline.note("reader \(number) is cancelled")
        isCancelled = true
        task?.cancel()
        world.timeline.after(Self.longestEnd, in: process) { [self] in
            if !isOver { fail("it was cancelled, and still waits") }
        }
    }

    /// It may have to wait for the disk, and its turn.
    private static let longestEnd = Duration.seconds(10)

    private func read(_ kind: Kind) async {
        switch kind {
        case .download(let download):
            world.timeline.note("reader \(number) reads the events of \(world.shown(download))")
            for await event in download.events where note(event, of: download) { return }
            let hasEnded = orders[ObjectIdentifier(download)]?.order.hasEnded ?? false
            if !Task.isCancelled, !hasEnded { fail("the events of \(world.shown(download)) stop before its end") }
        case .file(let download):
            world.timeline.note("reader \(number) waits for \(world.shown(download))")
            _ = try? await download.file
            if !Task.isCancelled, !download.state.isTerminal { fail("\(world.shown(download)) has no end yet") }
        case .manager(let events):
            world.timeline.note("reader \(number) reads all events")
            for await (download, event) in events where note(event, of: download) { return }
        case .ends(let ends):
            world.timeline.note("reader \(number) reads all ends")
            for await batch in ends {
                if batch.isEmpty { fail("no end in a turn") }
                for download in batch where note(.state(download.state), of: download) { return }
            }
        case .results(let manager, let urls):
            world.timeline.note("reader \(number) enqueues \(urls.map(world.shown)), and reads the results")
            var count = 0
            for await (url, _) in manager.results(of: urls.map(world.bareRequest)) {
                count += 1
                if !urls.contains(url) { fail("a result of \(url), which was not asked for") }
                if isEnough() { return }
            }
            if !Task.isCancelled, count != urls.count { fail("\(count) results of \(urls.count)") }
        case .files(let manager, let urls):
            world.timeline.note("reader \(number) enqueues \(urls.map(world.shown)), and reads the files")
            do {
                for try await _ in manager.files(of: urls.map(world.bareRequest)) where isEnough() { return }
            } catch {
                world.timeline.note("reader \(number): \(error)")
            }
        case .verification(let results, let isOnline):
            world.timeline.note("reader \(number) verifies\(isOnline ? " online" : "")")
            for await (file, result) in results {
                if let fault = world.fault(of: result, at: file, isOnline: isOnline, since: began) {
                    fail("\(file.lastPathComponent): \(fault)")
                }
                if isEnough() { return }
            }
        }
    }

    /// Returns whether it was the last.
    private func note(_ event: DownloadEvent, of download: Download) -> Bool {
        var order = orders[ObjectIdentifier(download)]?.order ?? StateOrder(world)
        if let fault = order.note(event) { fail("of \(world.shown(download)): \(fault)") }
        orders[ObjectIdentifier(download)] = (download, order)
        return isEnough()
    }

    private func isEnough() -> Bool {
        left -= 1
        return left <= 0
    }

    private func fail(_ text: String) {
        // A process that ended within a call tells nobody what would have followed.
        if process.isAlive { world.fail("reader \(number): \(text)") }
    }
}

extension World {
    /// How many readers may still enqueue something.
    var batchCount: Int { readers.count { $0.isBatch && !$0.isOver && $0.process.isAlive } }

    /// Whether a reader still waits for the answers of servers. Its questions have retries of their own.
    var isAsking: Bool { readers.contains { $0.isAsking && !$0.isOver && $0.process.isAlive } }

    func startVerification(in session: Session, by manager: DownloadManager) {
        readerCount += 1
        let reader = Reader(readerCount, of: self, in: session.process, leavingAfter: timeline.pick([1, .max, .max]))
        readers.removeAll { $0.isOver || !$0.process.isAlive }
        readers.append(reader)
        var options = VerificationOptions()
        options.maxConcurrentFiles = timeline.number(in: 1..<4)
        let isOnline = timeline.onceIn(4)
        if isOnline {
            let secrets = Dictionary(uniqueKeysWithValues: documentURLs.map { ($0, secret(of: $0)) })
            options.onlineRequest = { url in
                var request = DownloadRequest(url)
                if let secret = secrets[url] { request.headers["Authorization"] = secret.map { "Bearer \($0)" } }
                return request
            }
            // The questions are those of a second manager.
            managerCounts[session.process.number, default: 0] += 1
        }
        reader.begin(.verification(manager.verify(options), isOnline: isOnline))
        if timeline.onceIn(4) {
            timeline.after(timeline.time(upTo: .milliseconds(20)), in: session.process) { reader.cancel() }
        }
    }

    func startReader(in session: Session, by manager: DownloadManager) {
        readerCount += 1
        let count = timeline.pick([1, 3, 20, .max])
        let reader = Reader(readerCount, of: self, in: session.process, leavingAfter: count)
        let urls = urls.filter { _ in timeline.onceIn(2) }
        let downloads = manager.downloads
        let download = downloads.isEmpty ? nil : timeline.pick(downloads)
        let (kind, delay) = (timeline.number(in: 0..<6), timeline.time(upTo: traits.faultTime))
        readers.removeAll { $0.isOver || !$0.process.isAlive }
        readers.append(reader)
        if timeline.onceIn(2) { timeline.after(delay, in: session.process) { reader.cancel() } }
        switch (kind, download) {
        case (0, let download?): reader.begin(.download(download))
        case (1, let download?): reader.begin(.file(download))
        case (2, _), (0, nil), (1, nil): reader.begin(.manager(manager.events))
        case (5, _): reader.begin(.ends(manager.ends))
        default:
            noteImpatience(for: urls, in: session.process)
            reader.begin(kind == 3 ? .results(manager, urls) : .files(manager, urls))
        }
    }
}
