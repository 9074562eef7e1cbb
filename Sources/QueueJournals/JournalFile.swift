import Glibc
package import SpateFileSystemCalls
package import SpatePartialFiles

/// The file of a journal, locked while it is open: `.spate-queue-TIME-RANDOM`.
///
/// Reading needs no lock. A process that gets the lock takes over the journal, because its writer has ended.
package struct JournalFile: Sendable {
    private(set) var file: OpenFile
    private let largestSize: Int64
    private(set) var end: Int64 = 0
    /// Whether the last write failed, so that part of a line may be at the end.
    private var isTorn = false

    private init(_ file: OpenFile, atMost largestSize: Int64) {
        (self.file, self.largestSize) = (file, largestSize)
    }

    /// Makes a journal, and its folder if needed.
    package init(in directory: DownloadDirectory) throws(FileSystemError) {
        let file = try Self.make(in: try directory.folder(), ending: "")
        self.init(file, atMost: directory.largestFile)
    }

    /// Continues a journal that this process has locked. Its last line may be torn.
    init(continuing file: OpenFile, of directory: DownloadDirectory) throws(FileSystemError) {
        self.init(file, atMost: directory.largestFile)
        (end, isTorn) = (try file.status().size, true)
    }

    private static func make(
        in folder: OpenFolder,
        ending: String
    ) throws(FileSystemError) -> OpenFile {
        for _ in 0..<10 {
            // For this user alone: a URL may be signed.
            let file = try folder.open(
                FileName.newJournal(folder.platform.runtime, ending: ending),
                O_RDWR | O_CREAT | O_EXCL,
                mode: 0o600
            )
            // Before we got the lock, another process may have taken over the file as abandoned.
            guard try file.lock(LOCK_EX), try file.isStillNamed else { continue }
            JournalProof.sign(file)
            return file
        }
        throw FileSystemError(.lock, folder.path, code: EWOULDBLOCK)
    }

    /// Appends whole lines.
    package mutating func append(_ lines: [UInt8]) throws(FileSystemError) {
        let lines = isTorn ? [UInt8(ascii: "\n")] + lines : lines
        // A write beyond the limit of file sizes would kill the process.
        guard end + Int64(lines.count) <= largestSize else { throw FileSystemError(.write, file.path, code: EFBIG) }
        isTorn = true
        try lines.span.withUnsafeBytes { bytes throws(FileSystemError) in try file.write(bytes, at: end) }
        isTorn = false
        end += Int64(lines.count)
    }

    /// Syncs the file. Copies share the file, so this may be called on one.
    ///
    /// - Parameter syncsName: whether to sync its name, too. New and compacted files need that.
    package func sync(withName syncsName: Bool) throws(FileSystemError) {
        try file.sync()
        if syncsName { try file.folder.sync() }
    }

    /// Removes the file, if it still has its name.
    package func remove() throws(FileSystemError) {
        guard try file.isStillNamed else { return }
        try file.folder.unlink(file.name)
    }

    /// Whether the file or its folder has been removed.
    package func isLost(from directory: DownloadDirectory) -> Bool {
        guard let folder = (try? directory.existingFolder()) ?? nil, folder.identity == file.folder.identity else {
            return true
        }
        return (try? file.isStillNamed) != true
    }

    /// Copies the records of these numbers into a file of another name, and syncs it. The journal may grow meanwhile.
    /// This also works if the journal has been removed.
    package func compacted(
        in directory: DownloadDirectory,
        keeping isLive: (UInt64) -> Bool
    ) throws(FileSystemError) -> CompactedJournal {
        guard let folder = try directory.existingFolder() else {
            throw FileSystemError(.create, file.path, code: ENOENT)
        }
        let copied = try Self.make(in: folder, ending: FileName.unfinishedJournalEnding)
        var copy = JournalFile(copied, atMost: largestSize)
        do throws(FileSystemError) {
            var lines: [UInt8] = []
            try Self.forEachPiece(of: file, in: 0..<end) { piece throws(FileSystemError) in
                JournalRecord.forEachLine(of: piece) { line in
                    switch JournalRecord.Head(line: line) {
                    case .entry(let number)? where isLive(number), .failure(let number)? where isLive(number): break
                    default: return
                    }
                    lines += line
                    lines.append(UInt8(ascii: "\n"))
                }
                try copy.append(lines)
                lines.removeAll(keepingCapacity: true)
                return true
            }
            try copy.sync(withName: false)
            return CompactedJournal(file: copy, original: file, coveredBytes: end)
        } catch {
            try? folder.unlink(copied.name)
            throw error
        }
    }

    /// Appends the file's newer records to the copy, and gives it the file's name. Sync the name after that.
    package mutating func replace(with copy: CompactedJournal) throws(FileSystemError) {
        do throws(FileSystemError) {
            guard copy.original === file else { throw FileSystemError(.rename, file.path, code: ESTALE) }
            var compacted = copy.file
            var tail = [UInt8](repeating: 0, count: Int(end - copy.coveredBytes))
            let count = try tail.withUnsafeMutableBufferPointer { bytes throws(FileSystemError) in
                try file.read(into: UnsafeMutableRawBufferPointer(bytes), at: copy.coveredBytes)
            }
            guard count == tail.count else { throw FileSystemError(.read, file.path, code: EIO) }
            try compacted.append(tail)
            try compacted.file.folder.rename(compacted.file.name, to: file.name)
            (file, end, isTorn) = (compacted.file.renamed(file.name), compacted.end, false)
        } catch {
            copy.remove()
            throw error
        }
    }

    /// Reads these bytes of the file in pieces of whole lines, until the closure returns false. Skips an unfinished
    /// last line.
    static func forEachPiece(
        of file: OpenFile,
        in range: Range<Int64> = 0..<Int64.max,
        _ body: (ArraySlice<UInt8>) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) {
        var offset = range.lowerBound
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let wanted = min(buffer.count, Int(range.upperBound - offset))
            let count = try buffer.withUnsafeMutableBufferPointer { bytes throws(FileSystemError) in
                try file.read(into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: wanted), at: offset)
            }
            if count == 0 { return }
            guard let lineEnd = buffer[..<count].lastIndex(of: UInt8(ascii: "\n")) else {
                if count < buffer.count { return }
                // No record is that long.
                if count >= JournalRecord.longestLine {
                    offset += Int64(count)
                } else {
                    buffer = [UInt8](repeating: 0, count: count * 4)
                }
                continue
            }
            guard try body(buffer[...lineEnd]) else { return }
            offset += Int64(lineEnd + 1)
        }
    }
}

/// A copy of a journal with only the records that have not ended.
package struct CompactedJournal: Sendable {
    fileprivate let file: JournalFile
    fileprivate let original: OpenFile
    /// How much of the original was read.
    fileprivate let coveredBytes: Int64

    package func remove() {
        try? file.remove()
    }
}
