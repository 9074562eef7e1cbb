import Glibc
import SpateExtendedAttributes
package import SpateFilePaths
import SpateTiming
import Synchronization

/// A descriptor that is closed with its last reference, with its path for errors.
///
/// It is never closed earlier: another file may reuse its number, and a late call from another thread would reach that
/// file.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    package let folder: OpenFolder
    /// The name under which it was opened.
    package let name: FilePath
    /// The same file under its earlier name, if it was renamed. It owns the descriptor.
    private let original: OpenFile?
    private let isLocked = Atomic(false)

    init(owning descriptor: CInt, in folder: OpenFolder, name: FilePath) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
        original = nil
    }

    private init(_ original: OpenFile, name: FilePath) {
        descriptor = original.descriptor
        folder = original.folder
        self.name = name
        self.original = original
    }

    deinit {
        guard original == nil else { return }
        // A program that another thread is starting has a copy of the descriptor for a moment, and with it the lock.
        if isLocked.load(ordering: .relaxed) { unlock() }
        // A failed close loses nothing: data that must survive was synced before.
        folder.platform.close(descriptor)
    }

    package var path: FilePath { folder.path(name) }

    /// The same file with its next name.
    package func renamed(_ name: FilePath) -> OpenFile { OpenFile(original ?? self, name: name) }

    package func status() throws(FileSystemError) -> FileStatus {
        var status = stat()
        try SystemCall.run(.inspect, path) { folder.platform.status(descriptor, &status) }
        return FileStatus(status)
    }

    /// The status of a regular file of our own; `nil` for anything else. Another user's file proves nothing, whatever
    /// its attributes say.
    package func ownStatus() throws(FileSystemError) -> FileStatus? {
        let status = try status()
        guard status.kind == .regular, try folder.isOurs(status) else { return nil }
        return status
    }

    /// Whether `name` still leads to this file, which has this identity.
    package func isStillNamed(as identity: FileStatus.Identity) throws(FileSystemError) -> Bool {
        try folder.status(of: name)?.identity == identity
    }

    package var isStillNamed: Bool {
        get throws(FileSystemError) { try isStillNamed(as: status().identity) }
    }

    /// Truncates or extends the file. At its present size, this frees blocks reserved beyond its end.
    package func resize(to size: Int64) throws(FileSystemError) {
        try SystemCall.run(.truncate, path) { folder.platform.resize(descriptor, size) }
    }

    /// Syncs the file with its attributes. Slow.
    package func sync() throws(FileSystemError) {
        try SystemCall.run(.sync, path) { folder.platform.sync(descriptor) }
    }

    package var attributes: any FileAttributes { folder.platform.attributes(descriptor) }

    /// The text of an attribute; nil if there is none, or the file system has none.
    ///
    /// - Throws: a `FileSystemError` if that is unknown.
    package func text(ofAttribute name: String) throws(FileSystemError) -> String? {
        do throws(ErrorNumber) {
            return try attributes.text(of: name)
        } catch {
            if error.attributeFailure == .other { throw FileSystemError(.read, path, code: error.code) }
            return nil
        }
    }

    /// Reserves blocks. The size of the file stays.
    package func reserve(_ length: Int64, from offset: Int64) throws(FileSystemError) {
        try SystemCall.run(.reserve, path) { folder.platform.reserve(descriptor, offset, length) }
    }

    /// Sets the time of the last write, if the file system can.
    package func setModified(secondsSince1970: Int64) {
        _ = try? SystemCall.run { folder.platform.setModified(descriptor, secondsSince1970) }
    }

    /// Takes the lock; false if another process or download has it. True if the file system has no locks.
    package func lock(_ mode: CInt) throws(FileSystemError) -> Bool {
        do throws(ErrorNumber) {
            _ = try SystemCall.run { folder.platform.lock(descriptor, mode) }
            noteLock(true)
            return true
        } catch {
            switch error.code {
            case EWOULDBLOCK: return false
            case ENOLCK, ENOTSUP, EINVAL, ENOSYS: return true
            default: throw FileSystemError(.lock, path, code: error.code)
            }
        }
    }

    /// Takes the exclusive lock. Waits up to a second for readers with the shared lock, and up to a tenth of a second
    /// for another exclusive holder. False after that.
    ///
    /// - Parameter isPointless: whether to stop waiting for an exclusive holder; called before each such wait, with its
    ///   number.
    package func lockAlone(
        unless isPointless: (_ turn: Int) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) -> Bool {
        var (turn, looks) = (0, 0)
        while turn < 50, looks < 500 {
            if try lock(LOCK_EX) { return true }
            if try lock(LOCK_SH) {
                unlock()
                looks += 1
            } else {
                if try isPointless(turn) { return false }
                turn += 1
            }
            folder.platform.runtime.sleep(.milliseconds(2))
        }
        return false
    }

    package func unlock() {
        _ = folder.platform.lock(descriptor, LOCK_UN)
        noteLock(false)
    }

    private func noteLock(_ isLocked: Bool) {
        (original ?? self).isLocked.store(isLocked, ordering: .relaxed)
    }

    /// Reads from `offset` until `buffer` is full or the file ends.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try SystemCall.run(.read, path) {
                folder.platform.read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done,
                    offset + Int64(done)
                )
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// The file will be read once, in order: read ahead of that.
    package func readsInOrder() {
        folder.platform.advise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// This range was read and is not needed again: give its memory to others.
    package func forget(_ range: Range<Int64>) {
        folder.platform.advise(descriptor, range.lowerBound, Int64(range.count), POSIX_FADV_DONTNEED)
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        var rest = bytes
        var offset = offset
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = try SystemCall.run(.write, path) {
                folder.platform.write(descriptor, start, rest.count, offset)
            }
            // A file never returns zero here, but if it did, this must not loop forever.
            guard count > 0 else { throw FileSystemError(.write, path, code: EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            offset += Int64(count)
        }
    }

    /// So much is copied at once, between two looks at whether to go on.
    private static let longestCopy: Int64 = 16 << 20

    /// Copies a range of another file to the same place in this one. On file systems that can, the two then share its
    /// blocks.
    ///
    /// - Parameter goesOn: whether to go on; called from time to time.
    /// - Returns: where the copy ended: before the end of the range only if `goesOn` was false.
    /// - Throws: a `FileSystemError`; of code EIO if the other file ends before the range.
    @discardableResult package func copy(
        _ range: Range<Int64>,
        from source: OpenFile,
        while goesOn: () -> Bool = { true }
    ) throws(FileSystemError) -> Int64 {
        var start = range.lowerBound
        var isShortcut = true
        while start < range.upperBound, goesOn() {
            let length = Int(min(range.upperBound - start, Self.longestCopy))
            let count =
                isShortcut
                ? (try? SystemCall.run { folder.platform.copy(source.descriptor, descriptor, start, length) }) : nil
            if let count, count > 0 {
                start += Int64(count)
            } else {
                // Not between all file systems and kernels. If there is another reason, these calls report it.
                isShortcut = false
                start += try copyByHand(start, length, from: source)
            }
        }
        return start
    }

    /// Reads and writes at most `length` bytes. Returns how many.
    private func copyByHand(_ start: Int64, _ length: Int, from source: OpenFile) throws(FileSystemError) -> Int64 {
        try withUnsafeTemporaryAllocation(byteCount: min(length, 262_144), alignment: 16) {
            buffer throws(FileSystemError) in
            let count = try source.read(into: buffer, at: start)
            guard count > 0 else { throw FileSystemError(.read, source.path, code: EIO) }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: start)
            return Int64(count)
        }
    }
}

/// The needed results of `fstat`.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case regular, folder, link, other
    }

    /// Identifies the file under any name.
    package struct Identity: Hashable, Sendable {
        // Not dev_t and ino_t: several C modules declare such types, and which import counts differs between builds.
        package let device: UInt
        package let inode: UInt

        init(_ status: stat) {
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    package let kind: Kind
    package let identity: Identity
    let owner: uid_t
    let group: gid_t
    /// The twelve bits that `chmod(2)` sets.
    let permissions: mode_t
    package let size: Int64
    /// Its blocks on disk, in bytes: more than its size if blocks are reserved beyond its end.
    package let allocated: Int64
    package let linkCount: Int
    /// The time of the last write or, for a folder, of the last change of its names, since 1970.
    package let modified: Duration
    /// The time of the last change, including names and attributes, since 1970.
    package let changed: Duration

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        identity = Identity(status)
        (owner, group, permissions) = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
        size = Int64(status.st_size)
        allocated = Int64(status.st_blocks) * 512
        linkCount = Int(status.st_nlink)
        modified = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        changed = .seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec)
    }
}
