import PartialFiles

/// What happens to a journal when its manager goes or the process exits: what has not ended stays in the file, for the next
/// process to restore.
struct JournalExit {
    private let directory: DownloadDirectory
    private let sync: JournalWriter.Sync?
    private let done: Set<Int>

    /// Closes the journal, under its lock; `nil` if it was closed before.
    init?(of writer: inout JournalWriter, _ left: inout LeftQueues) {
        if writer.machine.isClosed { return nil }
        directory = writer.directory
        sync = writer.close()
        done = left.takeDone(atLeast: 0) ?? []
        // Other processes may take over the journals that it held.
        left = LeftQueues()
    }

    /// Does what takes long, without the lock.
    func finish() {
        // Nobody can ask any more why the queue is not kept.
        try? sync?.run()
        directory.endLeftEntries(done: done)
    }
}
