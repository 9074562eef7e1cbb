import PartialFiles

/// What is left to do when a journal was closed, because its manager goes or the process exits. It takes long, and is done
/// without the journal's lock.
struct JournalExit {
    let directory: DownloadDirectory
    let sync: JournalWriter.Sync?
    /// The hashes of what has been done, for the queues that others left.
    let done: Set<Int>

    func finish() {
        // Nobody can ask any more why the queue is not kept.
        try? sync?.run()
        directory.endLeftEntries(done: done)
    }
}
