import Foundation
import Spate

/// What users do.
extension World {
    private enum Wish: CaseIterable {
        case download, several, join, update, overwrite
        case pause, resume, cancel, delete
        case pauseAll, resumeAll, deleteAll
        case slots, restore, look, depend, fetch
        case dropManager, kill, cutPower

        /// How often it comes among all others.
        var weight: Int {
            switch self {
            case .download: 24
            case .pause, .resume: 8
            case .delete: 6
            case .cancel, .several: 4
            case .join, .update, .overwrite, .resumeAll, .restore, .look, .fetch: 3
            case .pauseAll, .slots, .depend, .kill, .cutPower, .dropManager: 2
            case .deleteAll: 1
            }
        }
    }

    private static let wishes = Wish.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    func planWishes() {
        // The first comes at once, so that no world is without a download.
        timeline.after(.zero) { [self] in perform(.several) }
        for _ in 0..<traits.wishCount {
            let wish = timeline.pick(Self.wishes)
            timeline.after(timeline.time(upTo: traits.faultTime)) { [self] in perform(wish) }
        }
    }

    private func perform(_ wish: Wish) {
        guard failure == nil, !isEnding, let session = sessions.isEmpty ? nil : timeline.pick(sessions) else { return }
        guard let manager = session.manager else { return startManager(in: session.process) }
        let url = timeline.pick(urls)
        timeline.note("wish: \(wish) \(shown(url))")
        let asks: Set<Wish> = [.resume, .resumeAll, .join, .download, .several, .update, .overwrite, .fetch]
        if asks.contains(wish), !manager.downloads.isEmpty { impatience.append(timeline.now) }
        switch wish {
        case .download: manager.download(request(for: url))
        case .several: manager.download(urls.filter { _ in timeline.onceIn(2) }.map(request))
        case .join:
            for _ in 0..<2 { manager.download(request(for: url)) }
        case .update:
            var request = request(for: url)
            request.checksForUpdate = true
            revokePromises(of: url)
            manager.download(request)
        case .overwrite:
            var request = request(for: url)
            request.replacesExistingFile = true
            overwritten.insert(url)
            revokePromises(of: url)
            manager.download(request)
        case .pause: manager.pause(url)
        case .resume: manager.resume(url)
        case .cancel: manager.cancel(url)
        case .delete:
            revokePromises(of: url)
            do { try manager.delete(url) } catch { timeline.note("delete: \(error)") }
            revokePromises(of: url)
        case .pauseAll: manager.pauseAll()
        case .resumeAll: manager.resumeAll()
        case .deleteAll:
            revokePromises(of: nil)
            do { try manager.deleteAll() } catch { timeline.note("deleteAll: \(error)") }
            revokePromises(of: nil)
        case .slots: manager.maxConcurrentDownloads = timeline.number(in: 1..<6)
        case .restore: manager.restore()
        case .look: look(at: url, by: manager)
        case .depend: depend(on: url, by: manager)
        case .fetch: fetch(request(for: url), by: manager, of: session)
        case .dropManager: session.dropManager()
        case .kill: if traits.kills { interrupt(session.process, soonBy: .kill) }
        case .cutPower: if traits.cutsPower { interrupt(session.process, soonBy: .powerCut) }
        }
    }

    private func request(for url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        if let secret = secret(of: url) { request.headers["Authorization"] = "Bearer \(secret)" }
        if timeline.onceIn(3) {
            request.mirrors = network.file(at: url.absoluteString)?.mirrors.compactMap { URL(string: $0.url) } ?? []
        }
        if timeline.onceIn(8) { request.priority = timeline.pick([.low, .high, .veryHigh]) }
        if timeline.onceIn(8) { request.connections = timeline.pick([.exactly(1), .exactly(3), .automatic]) }
        return request
    }

    private func look(at url: URL, by manager: DownloadManager) {
        _ = manager.isDownloaded(url)
        _ = manager.fileURL(for: url)
        _ = manager.progress
        _ = try? manager.storedDownloads()
        _ = try? manager.storedQueue()
    }

    /// Ends a process now, or in the middle of something that it does soon.
    private func interrupt(_ process: SimulatedProcess, soonBy kind: Interruption) {
        if timeline.onceIn(2) {
            plan(kind, afterCalls: timeline.number(in: 0..<60))
        } else {
            interrupt(process, by: kind)
        }
    }

    /// Never in a circle: the later one waits for the earlier.
    private func depend(on url: URL, by manager: DownloadManager) {
        let later = urls.drop { $0 != url }.dropFirst()
        guard !later.isEmpty, let second = manager[timeline.pick(Array(later))], let first = manager[url] else {
            return
        }
        if let operation = first.operation { second.operation?.addDependency(operation) }
    }
}
