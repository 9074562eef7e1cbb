import SpateTiming

/// An observer with which one task waits for the end of a download. The end itself stays in the download.
final class EndReader: DownloadObserver {
    private struct Content: MailboxContent {
        /// Whether the download has ended, or the task was cancelled.
        var isReadable = false

        mutating func popFirst() -> Void? { nil }
    }

    private let runtime: Runtime
    private let mailbox = Mailbox(Content())

    init(on runtime: Runtime) {
        self.runtime = runtime
    }

    /// Whether a task waits for the end.
    var hasWaitingTask: Bool { mailbox.hasReader }

    var wantsProgress: Bool { false }

    func wants(_ event: DownloadEvent) -> Bool { false }

    func note(_ event: DownloadEvent, of download: Download) {}

    func note(_ end: DownloadEnd, of download: Download) { mailbox.withLock { $0.isReadable = true } }

    func act() { mailbox.wake() }

    /// Returns after the end, and if the waiting task is cancelled.
    func wait() async {
        _ = await mailbox.next {
            self.mailbox.withLock { $0.isReadable = true }
            self.runtime.cancellations.async { self.act() }
        }
    }
}
