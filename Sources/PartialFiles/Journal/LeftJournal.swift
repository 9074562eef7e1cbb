import ExtendedAttributes
import Glibc
package import HTTPResumption

/// A journal that another process, or a manager that has gone, left behind. Locked for as long as this is held: alone by
/// one who takes it over, and shared by those who only look.
package struct LeftJournal: Sendable {
    private let file: OpenFile
    private let directory: DownloadDirectory
    private let reading: JournalReading

    fileprivate init?(_ name: String, in folder: OpenFolder, of directory: DownloadDirectory, onlyToLook: Bool) {
        // NFS locks a file exclusively only for those who may write it; see flock(2).
        guard let file = try? folder.open(name, O_RDWR), (try? file.ownStatus(on: directory.platform)) ?? nil != nil,
            (try? onlyToLook ? file.lock(LOCK_SH) : file.lockAlone { _ in true }) ?? false,
            (try? file.isStillNamed) ?? false, let reading = try? JournalReading(numbersOf: file)
        else { return nil }
        (self.file, self.directory, self.reading) = (file, directory, reading)
    }

    /// Reads the entries in the order in which they were enqueued, until the closure returns false.
    ///
    /// - Returns: whether the closure returned true for all.
    @discardableResult
    package func forEachEntry(_ body: (JournalEntry) -> Bool) throws(FileSystemError) -> Bool {
        try reading.forEachEntry(of: file) { body($1) }
    }

    /// Ends the entries of these URLs. A journal in which nothing is left to do is removed.
    fileprivate func endEntries(of urls: Set<String>) throws(FileSystemError) {
        var lines: [UInt8] = []
        var isDone = true
        _ = try reading.forEachEntry(of: file) { number, entry in
            if urls.contains(entry.url) { JournalRecord.end(number).write(to: &lines) } else { isDone = false }
            return true
        }
        if isDone { return remove() }
        if lines.isEmpty { return }
        var journal = try JournalFile(continuing: file, of: directory)
        try journal.append(lines)
        try journal.sync(withName: false)
    }

    /// Removes it, unless somebody else looks at it.
    package func remove() {
        if (try? file.lock(LOCK_EX)) ?? false { try? file.folder.unlink(file.name) }
    }
}

extension JournalReading {
    fileprivate init(numbersOf file: OpenFile) throws(FileSystemError) {
        self.init()
        var reading = JournalReading()
        try JournalFile.forEachPiece(of: file) { piece in
            reading.readNumbers(in: piece)
            return true
        }
        self = reading
    }

    fileprivate func forEachEntry(
        of file: OpenFile,
        _ body: (UInt64, JournalEntry) -> Bool
    ) throws(FileSystemError) -> Bool {
        if isEmpty { return true }
        var reading = self
        var wantsMore = true
        try JournalFile.forEachPiece(of: file) { piece in
            wantsMore = reading.readEntries(in: piece, body)
            return wantsMore && !reading.isEmpty
        }
        return wantsMore
    }
}

extension DownloadDirectory {
    /// Takes these URLs out of the journals that nobody has taken.
    ///
    /// - Throws: the first `FileSystemError`, after all journals have been tried.
    package func endJournalEntries(of origins: Set<HTTPURL>) throws(FileSystemError) {
        let urls = Set(origins.map(\.text))
        var failure: FileSystemError?
        for left in takeJournals() {
            do throws(FileSystemError) { try left.endEntries(of: urls) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// The journals that nobody has taken, the oldest first. Unfinished copies are removed.
    ///
    /// - Parameter onlyToLook: whether they are not taken over. One who takes them waits for those who look.
    package func takeJournals(onlyToLook: Bool = false) -> [LeftJournal] {
        guard let folder = try? existingFolder(), let names = try? journalNames(in: folder) else { return [] }
        return names.compactMap { name in
            guard let left = LeftJournal(name, in: folder, of: self, onlyToLook: onlyToLook) else { return nil }
            if FileName.isJournal(name) { return left }
            left.remove()
            return nil
        }
    }

    /// Reads the entries of all journals of the folder, also of those that are locked, the oldest first. The closure is told
    /// whether there is only one journal: that names a URL once.
    package func forEachJournalEntry(
        _ body: (JournalEntry, _ isOfOnlyJournal: Bool) -> Void
    ) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        let names = try journalNames(in: folder).filter(FileName.isJournal)
        for name in names {
            guard let file = try? folder.open(name, O_RDONLY), (try? file.ownStatus(on: platform)) ?? nil != nil,
                let reading = try? JournalReading(numbersOf: file)
            else { continue }
            _ = try? reading.forEachEntry(of: file) { _, entry in
                body(entry, names.count == 1)
                return true
            }
        }
    }

    /// The names of journals and of unfinished copies, the oldest first.
    private func journalNames(in folder: OpenFolder) throws(FileSystemError) -> [String] {
        var names: [String] = []
        try folder.forEachName { name in
            if FileName.isJournal(name) || FileName.isUnfinishedJournal(name) { names.append(name) }
            return true
        }
        return names.sorted()
    }
}
