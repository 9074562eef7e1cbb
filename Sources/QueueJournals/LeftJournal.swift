import Glibc
import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPSyntax
package import SpatePartialFiles

/// An abandoned journal of another process or of a manager that has gone. Locked while this value lives: exclusively to
/// take it over, shared to read it.
package struct LeftJournal: Sendable {
    private let file: OpenFile
    private let directory: DownloadDirectory
    private let reading: JournalReading

    /// nil if another process has it, or nothing of ours has the name.
    fileprivate init?(
        _ name: FilePath,
        in folder: OpenFolder,
        of directory: DownloadDirectory,
        onlyToLook: Bool
    ) throws(FileSystemError) {
        // NFS locks a file exclusively only for processes that may write it; see flock(2).
        guard let (file, _) = try folder.openOwn(name, O_RDWR),
            // Another process holds the exclusive lock while it appends ends.
            try onlyToLook ? file.lock(LOCK_SH) : file.lockAlone(unless: { $0 >= 5 }),
            try file.isStillNamed
        else { return nil }
        (self.file, self.directory) = (file, directory)
        reading = try JournalReading(numbersOf: file)
    }

    /// Reads the entries in the order of enqueueing, with their numbers. Skips entries that this version does not
    /// understand.
    package func forEachEntry(_ body: (UInt64, JournalEntry) -> Void) throws(FileSystemError) {
        try reading.forEachEntry(of: file, body)
    }

    /// Reads the failures, in the order of their ends, with their numbers.
    ///
    /// - Returns: the numbers of void failures.
    @discardableResult
    package func forEachFailure(
        _ body: (UInt64, JournalEntry, JournalFailure) -> Void
    ) throws(FileSystemError) -> NumberSet {
        try reading.forEachFailure(of: file, body)
    }

    /// Ends these entries and failures, which are done or in another journal. Removes a journal without others.
    package func end(_ numbers: NumberSet) throws(FileSystemError) {
        if numbers.count == reading.count { return try remove() }
        if numbers.isEmpty { return }
        var lines: [UInt8] = []
        numbers.forEach { JournalRecord.end($0).write(to: &lines) }
        // Another process may have taken it over between the two locks.
        guard try file.lockAlone(unless: { $0 >= 5 }), try file.isStillNamed else {
            throw FileSystemError(.lock, file.path, code: EWOULDBLOCK)
        }
        var journal = try JournalFile(continuing: file, of: directory)
        try journal.append(lines)
        // Others may read it during the sync.
        _ = try file.lock(LOCK_SH)
        try journal.sync(withName: false)
    }

    /// Ends the entries and failures for which the closures return true, and void failures.
    package func end(
        where isDone: (JournalEntry) -> Bool,
        failuresWhere isOver: (JournalEntry) -> Bool
    ) throws(FileSystemError) {
        var done = NumberSet()
        try forEachEntry { number, entry in
            if isDone(entry) { _ = done.insert(number) }
        }
        let void = try forEachFailure { number, entry, _ in
            if isOver(entry) { _ = done.insert(number) }
        }
        void.forEach { _ = done.insert($0) }
        try end(done)
    }

    /// Removes it, unless another process is reading it.
    package func remove() throws(FileSystemError) {
        if try file.lock(LOCK_EX) { try file.folder.unlink(file.name) }
    }
}

extension DownloadDirectory {
    /// Removes these URLs and their failures from the journals that no process has locked.
    ///
    /// - Throws: the first `FileSystemError`, after all journals have been tried.
    package func endJournalEntries(of origins: Set<HTTPURL>) throws(FileSystemError) {
        let urls = Set(origins.map(\.text))
        var failure: FileSystemError?
        guard let folder = try existingFolder() else { return }
        // Many deletions list a local folder once. A network folder is listed each time: that is cheaper than an index,
        // which would read all records each time.
        let isLocal = platform.isLocal(folder.descriptor)
        let known = isLocal ? try knownJournals().map(Array.init) : try journalNames(in: folder)
        for name in (known ?? []).sorted() where FileName.isJournal(name) {
            do throws(FileSystemError) {
                guard let left = try LeftJournal(name, in: folder, of: self, onlyToLook: true) else { continue }
                let isOver = { (entry: JournalEntry) in urls.contains(entry.url) }
                try left.end(where: isOver, failuresWhere: isOver)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// The journals that no process has locked, the oldest first. Removes unfinished copies.
    ///
    /// - Parameter onlyToLook: true to read them under a shared lock, false to take them over. A takeover waits for
    ///   readers.
    package func takeJournals(onlyToLook: Bool = false) throws(FileSystemError) -> [LeftJournal] {
        guard let folder = try existingFolder() else { return [] }
        var journals: [LeftJournal] = []
        for name in try journalNames(in: folder) {
            guard let left = try LeftJournal(name, in: folder, of: self, onlyToLook: onlyToLook) else { continue }
            // Nobody needs an unfinished copy. If it stays, the next call finds it.
            if FileName.isJournal(name) { journals.append(left) } else { try? left.remove() }
        }
        return journals
    }

    /// Reads the entries of all journals of the folder, locked or not, the oldest first. A journal names a URL once, so
    /// the closure is told whether there is only one journal.
    package func forEachJournalEntry(
        _ body: (JournalEntry, _ isOfOnlyJournal: Bool) -> Void
    ) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        let names = try journalNames(in: folder).filter(FileName.isJournal)
        for name in names {
            if let (file, _) = try folder.openOwn(name) {
                try JournalReading(numbersOf: file).forEachEntry(of: file) { body($1, names.count == 1) }
            }
        }
    }

    /// Whether the folder has journals.
    package func hasJournals() throws(FileSystemError) -> Bool {
        guard let folder = try existingFolder() else { return false }
        return try journalNames(in: folder).contains(where: FileName.isJournal)
    }

    /// Reads the failures in all journals of the folder, locked or not, the oldest journal first.
    package func forEachJournalFailure(_ body: (JournalEntry, JournalFailure) -> Void) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        for name in try journalNames(in: folder).filter(FileName.isJournal) {
            guard let (file, _) = try folder.openOwn(name) else { continue }
            try JournalReading(numbersOf: file).forEachFailure(of: file) { body($1, $2) }
        }
    }

    /// The URLs in locked journals: the unfinished work of living processes and managers, including this one.
    package func lockedJournalURLs() throws(FileSystemError) -> Set<URLHash> {
        guard let folder = try existingFolder() else { return [] }
        var urls: Set<URLHash> = []
        for name in try journalNames(in: folder) where FileName.isJournal(name) {
            guard let (file, _) = try folder.openOwn(name), try !file.lock(LOCK_SH) else { continue }
            try JournalReading(numbersOf: file).forEachEntry(of: file) { urls.insert(URLHash(text: $1.url)) }
        }
        return urls
    }

    /// The names of journals and of unfinished copies, the oldest first.
    private func journalNames(in folder: OpenFolder) throws(FileSystemError) -> [FilePath] {
        var names: [FilePath] = []
        try folder.forEachName(startingWith: FileName.journalPrefix) { name in
            if FileName.isJournal(name) || FileName.isUnfinishedJournal(name) { names.append(name) }
            return true
        }
        return names.sorted()
    }
}
