import Dispatch
import Foundation
import SpateLocking
import SpateTiming

/// Verifies the files of a folder, a few at a time, and keeps the results until they are read.
final class Verification: Sendable {
    typealias Element = (file: URL, result: VerificationResult)

    private struct Content: MailboxContent {
        var line = VerificationLine<Element>()
        var isBegun = false

        var isReadable: Bool { line.isReadable }

        mutating func popFirst() -> Element? { line.popFirst() }
    }

    private struct Count {
        var progress = VerificationProgress(files: 0, readBytes: 0)
        var told: ContinuousClock.Instant?
    }

    private let manager: DownloadManager
    private let verifier: FileVerifier
    private let options: VerificationOptions
    private let workers: [SerialQueue]
    private let mailbox = Mailbox<Content>()
    private let online: OnlineCheck?
    private let count = Locked(Count())

    private static let progressInterval: Duration = .milliseconds(100)

    init(of manager: DownloadManager, _ options: VerificationOptions) {
        (self.manager, self.options) = (manager, options)
        verifier = FileVerifier(in: manager, options.allChecksums)
        online = options.onlineRequest.map { OnlineCheck(like: manager, $0) }
        let count = max(1, options.maxConcurrentFiles ?? ProcessInfo.processInfo.activeProcessorCount)
        let runtime = manager.surroundings.runtime
        workers = (0..<min(count, Self.mostWorkers)).map { _ in runtime.makeQueue("spate.verify") }
    }

    /// Each reads with a mebibyte of memory.
    private static let mostWorkers = 256

    private var runtime: Runtime { manager.surroundings.runtime }

    /// The next result; `nil` after the last, or if the reading task is cancelled, which ends the verification.
    func next() async -> Element? {
        if !Task.isCancelled { begin() }
        let element = await mailbox.next { self.runtime.cancellations.async { self.end() } }
        continueIdle()
        return element
    }

    /// Nobody reads any more.
    func end() {
        let ((), reader) = mailbox.takeReader { $0.line.end() }
        online?.end()
        // The reader continues when nothing of the verification is left.
        reader?.resume(returning: false)
    }

    // MARK: The workers

    private func begin() {
        let begins = mailbox.withLock { content in
            defer { content.isBegun = true }
            return !content.isBegun
        }
        guard begins else { return }
        workers[0].async { [self] in
            do throws(DownloadError) {
                let names = try verifier.names()
                let window = (16 + 4 * workers.count).saturatingPlus(online?.limit ?? 0)
                mailbox.change { $0.line.begin(names, window: window) }
                if names.isEmpty { noteProgress(isLast: true) }
            } catch {
                mailbox.change { $0.line.fail(with: verifier.failed(error)) }
            }
            for worker in workers.indices { work(worker) }
        }
    }

    /// Verifies the next file, then another.
    private func work(_ worker: Int) {
        guard let (index, name) = mailbox.withLock({ $0.line.take(for: worker) }) else { return }
        workers[worker].async { [self] in
            let element = verifier.verify(name) { bytes in
                noteProgress(bytes: bytes)
                return mailbox.withLock { !$0.line.isOver }
            }
            if let online, let (file, result) = element, !result.isBad {
                online.ask(about: file, result) { [self] in put((file, $0), at: index) }
            } else {
                put(element, at: index)
            }
            work(worker)
        }
    }

    private func put(_ element: Element?, at index: Int) {
        if element != nil { noteProgress(files: 1) }
        let isLast = mailbox.change { content in
            content.line.put(element, at: index)
            return content.line.isComplete
        }
        if isLast { noteProgress(isLast: true) }
        continueIdle()
    }

    /// The workers that waited for room go on, if there is some.
    private func continueIdle() {
        for worker in mailbox.withLock({ $0.line.takeIdle() }) { work(worker) }
    }

    // MARK: Progress

    private func noteProgress(files: Int = 0, bytes: Int64 = 0, isLast: Bool = false) {
        guard let report = options.progress else { return }
        let now = runtime.now
        let progress = count.withLock { count -> VerificationProgress? in
            count.progress = VerificationProgress(
                files: count.progress.files + files,
                readBytes: count.progress.readBytes + bytes
            )
            if !isLast, let told = count.told, now - told < Self.progressInterval { return nil }
            count.told = now
            return count.progress
        }
        if let progress { manager.configuration.callbackQueue.async { report(progress) } }
    }
}
