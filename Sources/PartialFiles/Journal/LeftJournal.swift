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
        guard let file = try? folder.open(name, O_RDWR), (try? file.ownStatus()) ?? nil != nil,
            // Another may have it alone for as long as it writes some ends.
            (try? onlyToLook ? file.lock(LOCK_SH) : file.lockAlone { $0 >= 5 }) ?? false,
            (try? file.isStillNamed) ?? false, let reading = try? JournalReading(numbersOf: file)
        else { return nil }
        (self.file, self.directory, self.reading) = (file, directory, reading)
    }

    /// Reads the entries in the order in which they were enqueued, with their numbers, until the closure returns false.
    /// Entries that this version does not understand are passed over.
    ///
    /// - Returns: whether the closure returned true for all.
    @discardableResult
    package func forEachEntry(_ body: (UInt64, JournalEntry) -> Bool) throws(FileSystemError) -> Bool {
        try reading.forEachEntry(of: file, body)
    }

    /// Ends these entries, which have been done or are in another journal. A journal in which nothing is left to do is
    /// removed.
    package func end(_ numbers: NumberSet) throws(FileSystemError) {
        if numbers.count == reading.count { return remove() }
        if numbers.isEmpty { return }
        var lines: [UInt8] = []
        numbers.forEach { JournalRecord.end($0).write(to: &lines) }
        // Another may have taken it over between the two locks.
        guard try file.lockAlone(unless: { $0 >= 5 }), try file.isStillNamed else {
            throw FileSystemError(.lock, file.path, code: EWOULDBLOCK)
        }
        var journal = try JournalFile(continuing: file, of: directory)
        try journal.append(lines)
        // A caller that comes during the sync waits only for readers.
        _ = try file.lock(LOCK_SH)
        try journal.sync(withName: false)
    }

    /// Ends the entries for which the closure returns true.
    package func endEntries(where isDone: (JournalEntry) -> Bool) throws(FileSystemError) {
        var done = NumberSet()
        try forEachEntry { number, entry in
            if isDone(entry) { _ = done.insert(number) }
            return true
        }
        try end(done)
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
        let isProven = JournalProof.holds(for: file)
        var reading = self
        var wantsMore = true
        try JournalFile.forEachPiece(of: file) { piece in
            wantsMore = reading.readEntries(in: piece) { body($0, isProven ? $1 : $1.confined) }
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
        guard let folder = try existingFolder() else { return }
        // Not listed for each of many deletions. A list is less than all records, which would be read each time.
        let isLocal = platform.isLocal(folder.descriptor)
        let known = isLocal ? try withIndex { Array($0.journals) } : try journalNames(in: folder)
        for name in (known ?? []).sorted() where FileName.isJournal(name) {
            guard let left = LeftJournal(name, in: folder, of: self, onlyToLook: true) else { continue }
            do throws(FileSystemError) {
                try left.endEntries { urls.contains($0.url) }
            } catch {
                failure = failure ?? error
            }
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
            guard let file = try? folder.open(name, O_RDONLY), (try? file.ownStatus()) ?? nil != nil,
                let reading = try? JournalReading(numbersOf: file)
            else { continue }
            _ = try? reading.forEachEntry(of: file) { _, entry in
                body(entry, names.count == 1)
                return true
            }
        }
    }

    /// The URLs in journals that are locked: what living processes and managers, also this one, have not done.
    package func lockedJournalURLs() -> Set<URLHash> {
        guard let folder = (try? existingFolder()) ?? nil, let names = try? journalNames(in: folder) else { return [] }
        var urls: Set<URLHash> = []
        for name in names where FileName.isJournal(name) {
            guard let file = try? folder.open(name, O_RDONLY), (try? file.ownStatus()) ?? nil != nil,
                (try? file.lock(LOCK_SH)) == false, let reading = try? JournalReading(numbersOf: file)
            else { continue }
            _ = try? reading.forEachEntry(of: file) { _, entry in
                urls.insert(URLHash(text: entry.url))
                return true
            }
        }
        return urls
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
