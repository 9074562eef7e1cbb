import SpateFileSystemCalls
import SpatePartialFiles
import SpateQueueJournals

/// Writes a queue's journal into its file, by the rules of its machine. Used under the journal's lock.
struct JournalWriter {
    /// A sync to run without the lock.
    struct Sync {
        fileprivate let file: JournalFile
        fileprivate let withName: Bool

        func run() throws(FileSystemError) { try file.sync(withName: withName) }
    }

    /// A copy of the live records, to make without the lock.
    struct Rewriting {
        fileprivate let file: JournalFile
        fileprivate let live: NumberSet
        fileprivate let hasFailures: Bool
        fileprivate let directory: DownloadDirectory

        func copy() -> Result<Copy, FileSystemError> {
            Result { () throws(FileSystemError) in
                let void = hasFailures ? try file.voidFailures(where: live.contains) : NumberSet()
                let journal = try file.compacted(in: directory) { live.contains($0) && !void.contains($0) }
                return Copy(journal: journal, void: void)
            }
        }
    }

    struct Copy {
        fileprivate let journal: CompactedJournal
        /// The failures that it leaves out.
        fileprivate let void: NumberSet
    }

    let directory: DownloadDirectory
    var machine: JournalMachine
    private var file: JournalFile?
    /// The first error since the queue was last kept; `nil` if it is kept.
    private(set) var failure: FileSystemError?

    init(in directory: DownloadDirectory, _ machine: JournalMachine) {
        (self.directory, self.machine) = (directory, machine)
    }

    /// Writes the lines of the machine, and makes the file if there is none.
    mutating func write() {
        guard !machine.lines.isEmpty, !machine.isClosed else { return }
        do throws(FileSystemError) {
            if file == nil {
                file = try JournalFile(in: directory)
                machine.madeFile()
            }
            try file?.append(machine.lines)
            machine.wroteLines()
            if machine.isWhole { failure = nil }
        } catch {
            machine.failedToWriteLines()
            note(error)
        }
    }

    /// Removes the file if nothing is left to do, else writes the lines.
    mutating func removeIfDone() {
        guard machine.tidying == .remove else { return write() }
        // If it stays, it is unlocked and has no work. The next run of a queue here removes it.
        try? file?.remove()
        file = nil
        machine.removedFile()
    }

    /// The sync for the latest writes; `nil` if there are none.
    mutating func takeSync() -> Sync? {
        let unsynced = machine.takeUnsynced()
        guard let file, unsynced != .nothing else { return nil }
        return Sync(file: file, withName: unsynced == .bytesAndName)
    }

    mutating func failedToSync(_ error: FileSystemError) {
        machine.failedToSync()
        note(error)
    }

    /// The copy to replace a long or unsafe file.
    func rewriting(onlyIfUnsafe: Bool = false) -> Rewriting? {
        guard let file, !onlyIfUnsafe && machine.isLong || isUnsafe(file) else { return nil }
        return Rewriting(file: file, live: machine.live, hasFailures: machine.hasFailures, directory: directory)
    }

    /// Whether a process after a kill might not find the file's records.
    private func isUnsafe(_ file: JournalFile) -> Bool { machine.isDoubtful || file.isLost(from: directory) }

    mutating func replace(_ rewriting: Rewriting, with copy: Result<Copy, FileSystemError>) {
        machine.beginReplacing(withRecords: rewriting.live.count)
        do throws(FileSystemError) {
            let copy = try copy.get()
            guard !machine.isClosed, file != nil else { return copy.journal.remove() }
            try file?.replace(with: copy.journal)
            machine.replacedFile(without: copy.void)
            if machine.isWhole { failure = nil }
        } catch {
            if let file, isUnsafe(file) { note(error) }
        }
    }

    /// Ends the failures of these requests.
    mutating func endFailures(where isOver: (JournalEntry) -> Bool) throws(FileSystemError) {
        try endFailures { file throws(FileSystemError) in try file.failures(where: isOver) }
    }

    private mutating func endFailures(
        _ find: (JournalFile) throws(FileSystemError) -> NumberSet
    ) throws(FileSystemError) {
        guard machine.hasFailures else { return }
        write()
        if let file { machine.end(failures: try find(file)) }
    }

    /// Writes the lines, and nothing after that. Unfinished downloads and failures stay in the file, which is locked as
    /// long as the returned value lives.
    mutating func close() -> (sync: Sync?, file: JournalFile?) {
        let live = machine.live
        // A failure that cannot be read stays, and is at worst retried once more.
        try? endFailures { file throws(FileSystemError) in try file.voidFailures(where: live.contains) }
        removeIfDone()
        if let rewriting = rewriting(onlyIfUnsafe: true) { replace(rewriting, with: rewriting.copy()) }
        defer { file = nil }
        machine.close()
        return (takeSync(), file)
    }

    private mutating func note(_ error: FileSystemError) { failure = failure ?? error }
}
