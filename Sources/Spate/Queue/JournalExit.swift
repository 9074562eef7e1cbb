import SpatePartialFiles
import SpateQueueJournals

/// The work that remains after closing a journal, because its manager goes or the process exits. It takes long, and
/// runs without the journal's lock.
struct JournalExit {
    let directory: DownloadDirectory
    let sync: JournalWriter.Sync?
    /// The closed journal. It stays locked until the end, so that its own failures do not count as earlier ones.
    let file: JournalFile?
    /// To end the same entries in abandoned queues.
    let done: DoneWork

    func finish() {
        // Nobody can ask any more why the queue is not kept.
        try? sync?.run()
        withExtendedLifetime(file) { directory.endLeftEntries(done: done) }
    }
}
