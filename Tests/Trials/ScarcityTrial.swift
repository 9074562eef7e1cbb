import CSpateObstacles
import Foundation
import Spate

/// Downloads while the process has no descriptor, or can have no thread. They end with an error, and when that is over
/// everything is as if it had not been.
///
/// Nothing here uses Swift's pool of threads, which has descriptors and threads of its own.
enum ScarcityTrial {
    private static let callbacks = DispatchQueue(label: "trial.callbacks")

    private static func manager() -> DownloadManager {
        var configuration = DownloadManager.Configuration(directory: Trials.folder)
        configuration.callbackQueue = callbacks
        configuration.retry = RetryPolicy(maxRetriesWithoutProgress: 2, firstDelay: .milliseconds(10))
        return DownloadManager(configuration: configuration)
    }

    /// How the downloads end. Gives up long before a loop that nobody can wake would look around.
    private static func results(
        of urls: [URL],
        in manager: DownloadManager
    ) -> [Result<URL, DownloadError>] {
        let end = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var results: [Result<URL, DownloadError>] = []
        // All closures are called on one serial queue.
        for url in urls {
            manager.download(url) { result in
                results.append(result)
                end.signal()
            }
        }
        for url in urls where end.wait(timeout: .now() + 20) == .timedOut {
            Trials.fail("\(url): \(manager[url]?.state.description ?? "ended, but nobody was told")")
        }
        return callbacks.sync { results }
    }

    private static func expectRetryable(_ results: [Result<URL, DownloadError>]) {
        for case .failure(let error) in results where !error.isRetryable { Trials.fail("not retryable: \(error)") }
    }

    private static func expectFiles(_ url: URL, in manager: DownloadManager) {
        // More than there are slots and loops.
        let urls = (0..<12).map { url.appending(path: "after\($0)") }
        for case .failure(let error) in results(of: urls, in: manager) { Trials.fail("afterwards: \(error)") }
    }

    /// - Parameters:
    ///   - left: how many descriptors the process has left.
    ///   - isLate: whether the manager is made when they are gone.
    static func descriptors(_ url: URL, left: Int, isLate: Bool) {
        var manager = isLate ? nil : manager()
        // From the first manager on, Dispatch has what it needs.
        while !isLate, !hasTimer() { usleep(1_000) }
        let most = leave(left)
        let then = manager ?? Self.manager()
        manager = then
        let results = results(of: (0..<3).map { url.appending(path: "\($0)") }, in: then)
        if left == 0, results.contains(where: { $0.error == nil }) { Trials.fail("there were descriptors") }
        expectRetryable(results)
        allow(most)
        expectFiles(url, in: then)
    }

    /// Files of a folder that cannot be opened are neither missing nor deleted.
    static func files(_ url: URL) {
        let (manager, request) = (manager(), DownloadRequest(url.appending(path: "named"), fileName: "other"))
        let end = DispatchSemaphore(value: 0)
        let download = manager.download(request) { _ in end.signal() }
        if end.wait(timeout: .now() + 20) == .timedOut { Trials.fail("it did not end") }
        expectFiles(url, in: manager)
        // The folder is open, and would need none.
        if !manager.isDownloaded(request) { Trials.fail("it is there") }
        let most = leave(0)
        let asked: [(String, () throws -> Void)] = [
            ("storedDownloads", { _ = try manager.storedDownloads() }),
            ("storedQueue", { _ = try manager.storedQueue() }),
            ("storedFailures", { _ = try manager.storedFailures() }),
            ("delete(DownloadRequest)", { try manager.delete(request) }),
            ("delete(URL)", { try manager.delete(request.url) }),
            ("delete()", { try download.delete() }),
            ("deleteAll()", { try manager.deleteAll() }),
        ]
        let answered = asked.filter { _, ask in
            do {
                try ask()
                return true
            } catch {
                return (error as? DownloadError)?.isRetryable != true
            }
        }
        let (restored, reason) = (manager.restore(), manager.restoreFailure)
        allow(most)
        if !answered.isEmpty { Trials.fail("without descriptors: \(answered.map(\.0))") }
        if !restored.isEmpty || reason == nil { Trials.fail("restored \(restored): \(String(describing: reason))") }
        do {
            guard try manager.storedDownloads().count == 13 else { Trials.fail("\(try manager.storedDownloads())") }
            try manager.delete(request.url)
            if manager.isDownloaded(request) { Trials.fail("it was not deleted") }
            try manager.deleteAll()
            guard try manager.storedDownloads().isEmpty else { Trials.fail("\(try manager.storedDownloads())") }
        } catch {
            Trials.fail("\(error)")
        }
    }

    /// Leaves this process so many descriptors. Returns how many it might have before.
    private static func leave(_ left: Int) -> rlim_t {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = limit.rlim_cur
        var taken: [CInt] = []
        while taken.count < left { taken.append(dup(STDIN_FILENO)) }
        for descriptor in taken { close(descriptor) }
        allow(rlim_t(taken.last.map { $0 + 1 } ?? 0))
        return most
    }

    private static func allow(_ count: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = count
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func hasTimer() -> Bool {
        (0..<100).contains { number in
            var target = [CChar](repeating: 0, count: 64)
            return readlink("/proc/self/fd/\(number)", &target, 63) > 0 && strstr(target, "timerfd") != nil
        }
    }

    /// Without a thread of their own, the loops leave all transfers to the one on a queue.
    static func threads(_ url: URL) {
        let manager = manager()
        spate_obstacles_refuse_threads(1)
        let results = results(of: (0..<3).map { url.appending(path: "\($0)") }, in: manager)
        if results.contains(where: { $0.error != nil }) { Trials.fail("\(results)") }
        spate_obstacles_refuse_threads(0)
        expectFiles(url, in: manager)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
