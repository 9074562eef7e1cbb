import FileSystemCalls
import PartialFiles
import QueueJournals

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
        fileprivate let directory: DownloadDirectory

        func copy() -> Result<CompactedJournal, FileSystemError> {
            Result { () throws(FileSystemError) in try file.compacted(in: directory, keeping: live.contains) }
        }
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
        return Rewriting(file: file, live: machine.live, directory: directory)
    }

    /// Whether a process after a kill might not find the file's records.
    private func isUnsafe(_ file: JournalFile) -> Bool { machine.isDoubtful || file.isLost(from: directory) }

    mutating func replace(_ rewriting: Rewriting, with copy: Result<CompactedJournal, FileSystemError>) {
        machine.beginReplacing(withRecords: rewriting.live.count)
        do throws(FileSystemError) {
            let copy = try copy.get()
            guard !machine.isClosed, file != nil else { return copy.remove() }
            try file?.replace(with: copy)
            machine.replacedFile()
            if machine.isWhole { failure = nil }
        } catch {
            if let file, isUnsafe(file) { note(error) }
        }
    }

    /// Writes the lines, and nothing after that. Unfinished downloads stay in the file.
    mutating func close() -> Sync? {
        removeIfDone()
        if let rewriting = rewriting(onlyIfUnsafe: true) { replace(rewriting, with: rewriting.copy()) }
        defer { file = nil }
        machine.close()
        return takeSync()
    }

    private mutating func note(_ error: FileSystemError) { failure = failure ?? error }
}
