import ExtendedAttributes
import Glibc

/// The file of a journal, locked while it is open: `.spate-queue-TIME-RANDOM`.
///
/// Who opens it without the lock may read it. Who gets the lock takes it over: its process has ended.
package struct JournalFile: Sendable {
    private var file: OpenFile
    private let name: String
    private let platform: Platform
    private var end: Int64 = 0
    /// Whether the last write failed, so that a part of a line may be at the end.
    private var isTorn = false

    private init(_ file: OpenFile, on platform: Platform) {
        (self.file, name, self.platform) = (file, file.name, platform)
    }

    /// Makes a journal. The folder is made if it is not there.
    package init(in directory: DownloadDirectory) throws(FileSystemError) {
        let folder = try directory.folder()
        self.init(try Self.make(in: folder, ending: "", on: directory.platform), on: directory.platform)
    }

    private static func make(
        in folder: OpenFolder,
        ending: String,
        on platform: Platform
    ) throws(FileSystemError) -> OpenFile {
        for _ in 0..<10 {
            let file = try folder.open(FileName.newJournal() + ending, O_RDWR | O_CREAT | O_EXCL)
            // Before we had the lock another process may have taken it for one that was left behind.
            if try file.lock(LOCK_EX), try file.isStillNamed { return file }
        }
        throw FileSystemError(.lock, folder.path, code: EWOULDBLOCK)
    }

    /// Appends whole lines.
    package mutating func append(_ lines: [UInt8]) throws(FileSystemError) {
        let lines = isTorn ? [UInt8(ascii: "\n")] + lines : lines
        isTorn = true
        let outcome = lines.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try file.write(bytes, at: end, on: platform) }
        }
        try outcome.get()
        isTorn = false
        end += Int64(lines.count)
    }

    /// Syncs it, and its name. Copies share the file, so this may be called on one.
    package func sync() throws(FileSystemError) {
        try file.call(.sync) { platform.sync(file.descriptor) }
        file.folder.sync(on: platform)
    }

    /// Removes the file, if it still has its name.
    package func remove() throws(FileSystemError) {
        guard try file.folder.status(of: name)?.identity == file.status().identity else { return }
        try file.folder.unlink(name)
    }

    /// Replaces the file by one that has only the records of these numbers.
    package mutating func compact(keeping isLive: (UInt64) -> Bool) throws(FileSystemError) {
        var copy = JournalFile(
            try Self.make(in: file.folder, ending: FileName.unfinishedJournalEnding, on: platform),
            on: platform
        )
        do throws(FileSystemError) {
            var lines: [UInt8] = []
            var failure: FileSystemError?
            try Self.forEachPiece(of: file) { piece in
                // Pieces end at line ends, except the last.
                for line in piece.split(separator: UInt8(ascii: "\n")) {
                    guard case .entry(let number, _)? = JournalRecord(line: line), isLive(number) else { continue }
                    lines += line
                    lines.append(UInt8(ascii: "\n"))
                }
                guard lines.count >= 1 << 16, failure == nil else { return }
                do throws(FileSystemError) { try copy.append(lines) } catch { failure = error }
                lines.removeAll(keepingCapacity: true)
            }
            if let failure { throw failure }
            try copy.append(lines)
            try copy.file.call(.sync) { platform.sync(copy.file.descriptor) }
            try file.folder.rename(copy.name, to: name)
        } catch {
            try? file.folder.unlink(copy.name)
            throw error
        }
        (file, end, isTorn) = (copy.file, copy.end, false)
    }

    /// Reads the file in pieces of whole lines.
    static func forEachPiece(of file: OpenFile, _ body: (ArraySlice<UInt8>) -> Void) throws(FileSystemError) {
        var offset: Int64 = 0
        var room = 1 << 18
        while true {
            var buffer = [UInt8](repeating: 0, count: room)
            let outcome = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(FileSystemError) in try file.read(into: bytes, at: offset) }
            }
            let count = try outcome.get()
            if count == 0 { return }
            let piece = buffer[..<count]
            guard let lineEnd = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                if count < room { return }
                // A longer line than that is nobody's record.
                if room >= JournalRecord.longestLine { offset += Int64(count) } else { room *= 4 }
                continue
            }
            body(piece[...lineEnd])
            offset += Int64(lineEnd + 1)
        }
    }
}

/// A journal that another process, or a manager that has gone, left behind. Locked for as long as this is held.
package struct LeftJournal: Sendable {
    private let file: OpenFile
    /// In the order in which they were enqueued.
    package let entries: [JournalEntry]

    fileprivate init?(_ name: String, in folder: OpenFolder, on platform: Platform) {
        // NFS locks a file exclusively only for those who may write it; see flock(2).
        guard let file = try? folder.open(name, O_RDWR), (try? file.ownStatus(on: platform)) ?? nil != nil,
            (try? file.lock(LOCK_EX)) ?? false, (try? file.isStillNamed) ?? false,
            let reading = try? JournalReading(of: file)
        else { return nil }
        self.file = file
        entries = reading.entries
    }

    package func remove() {
        try? file.folder.unlink(file.name)
    }
}

extension JournalReading {
    fileprivate init(of file: OpenFile) throws(FileSystemError) {
        self.init()
        var reading = JournalReading()
        try JournalFile.forEachPiece(of: file) { reading.read($0) }
        self = reading
    }
}

extension DownloadDirectory {
    /// Takes over the journals that nobody has locked, the oldest first. Unfinished copies are removed.
    package func takeJournals() -> [LeftJournal] {
        guard let folder = try? existingFolder(), let names = try? journalNames(in: folder) else { return [] }
        return names.compactMap { name in
            guard let left = LeftJournal(name, in: folder, on: platform) else { return nil }
            if FileName.isJournal(name) { return left }
            left.remove()
            return nil
        }
    }

    /// What all journals of the folder hold, also those that are locked.
    package func journalEntries() throws(FileSystemError) -> [JournalEntry] {
        guard let folder = try existingFolder() else { return [] }
        return try journalNames(in: folder).filter(FileName.isJournal).flatMap { name in
            guard let file = try? folder.open(name, O_RDONLY), (try? file.ownStatus(on: platform)) ?? nil != nil,
                let reading = try? JournalReading(of: file)
            else { return [] as [JournalEntry] }
            return reading.entries
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
