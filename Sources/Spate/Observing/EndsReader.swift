import SpateTiming

/// An observer that gathers the ends of downloads for one task, which reads several at a time.
///
/// Resuming a task for each end would wake a thread each time, at a high cost for small files. So after each time there
/// is a pause to gather ends, unless no other is expected.
final class EndsReader: DownloadObserver {
    private struct Content: MailboxContent {
        var ends: [Download] = []
        var isResting = false
        /// Whether the manager was idle after the last of the ends.
        var isIdle = false

        var isReadable: Bool { !ends.isEmpty && (!isResting || isIdle) }

        mutating func popFirst() -> [Download]? {
            isIdle = false
            defer { ends = [] }
            return ends.isEmpty ? nil : ends
        }
    }

    private let runtime: Runtime
    private let rest: Duration?
    private let mailbox = Mailbox<Content>()

    /// - Parameter rest: how long the pauses are; `nil` for none.
    init(on runtime: Runtime, rest: Duration? = .milliseconds(100)) {
        (self.runtime, self.rest) = (runtime, rest)
    }

    /// Whether a task waits for the next ends.
    var hasWaitingTask: Bool { mailbox.hasReader }

    var wantsProgress: Bool { false }

    var isUse: Bool { true }

    func wants(_ state: DownloadState) -> Bool { false }

    func note(_ event: DownloadEvent, of download: Download) {}

    func note(_ end: DownloadEnd, of download: Download) { mailbox.note { $0.ends.append(download) } }

    func noteIdle() { mailbox.note { $0.isIdle = !$0.ends.isEmpty } }

    func act() { mailbox.wake() }

    func close() { mailbox.close() }

    /// What has ended since the last call, at least one; `nil` after the last, and if the reading task is cancelled.
    func next() async -> [Download]? {
        let ends = await mailbox.next { self.mailbox.abandon(on: self.runtime) }
        if let rest, ends != nil { begin(rest) }
        return ends
    }

    private func begin(_ rest: Duration) {
        let begins = mailbox.withLock { content in
            defer { content.isResting = true }
            return !content.isResting
        }
        if begins {
            runtime.after(rest) { [weak self] in self?.mailbox.change { $0.isResting = false } }
        }
    }
}
