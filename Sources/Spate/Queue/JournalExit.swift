import PartialFiles

/// The work that remains after closing a journal, because its manager goes or the process exits. It takes long, and
/// runs without the journal's lock.
struct JournalExit {
    let directory: DownloadDirectory
    let sync: JournalWriter.Sync?
    /// The hashes of finished work, to end the same entries in abandoned queues.
    let done: Set<Int>

    func finish() {
        // Nobody can ask any more why the queue is not kept.
        try? sync?.run()
        directory.endLeftEntries(done: done)
    }
}
