import CSystem
import ExtendedAttributes
import Glibc
import Locking
import Synchronization
import Timing

/// An open folder. All calls use names relative to its descriptor, so that the folder cannot be swapped for another
/// between two calls.
// `withCString` lends a String's own bytes to C; passing the String itself would copy it to the heap.
final class OpenFolder: Sendable {
    let descriptor: CInt
    let path: String
    let platform: Platform
    let identity: FileStatus.Identity
    /// Whether its files are in memory alone, so that a sync takes no time.
    let isInMemory: Bool
    let syncs: GroupCommit
    /// Whether files without a name can be made here, as far as is known.
    private let hasUnnamedFiles = Atomic(true)
    /// The owner of the files that we make here, once it was asked for.
    private let newFilesOwner = Locked<NewFilesOwner>(.unasked)

    /// The last time that `keepNames` synced the folder.
    private let lastSync = Locked<NameSync?>(nil)

    private struct NameSync {
        /// When the folder had changed last; `nil` if it was just changing.
        let folderChanged: Duration?
        /// By the wall clock, as the times of files are.
        let began: Duration
        /// When the wall clock stood at zero, by a clock that nobody sets. It moves when the wall clock is set.
        let zero: ContinuousClock.Instant
    }

    private enum NewFilesOwner {
        case unasked
        case known(uid_t?)
    }

    /// Opens the folder. Links to it are followed: a user may point to one.
    init(path: String, on platform: Platform) throws(FileSystemError) {
        descriptor = try Self.call(.open, path) { platform.openFolder(path) }
        (self.path, self.platform, syncs) = (path, platform, GroupCommit(platform.runtime))
        var status = stat()
        guard platform.status(descriptor, &status) == 0 else {
            let code = errno
            platform.close(descriptor)
            throw FileSystemError(.inspect, path, code: code)
        }
        identity = FileStatus(status).identity
        var volume = spate_volume()
        let isKnown = platform.volume(descriptor, &volume) == 0
        isInMemory = isKnown && [UInt(TMPFS_MAGIC), UInt(RAMFS_MAGIC)].contains(volume.kind)
    }

    deinit {
        platform.close(descriptor)
    }

    /// Whether a file has the owner that files get which we make here. On file systems such as vfat, FUSE or NFS that need
    /// not be the user of this process.
    func isOurs(_ status: FileStatus) -> Bool {
        if status.owner == platform.user() { return true }
        return newFilesOwner.withLock { owner in
            if case .known(let owner) = owner { return owner == status.owner }
            let asked = platform.ownerOfNewFile(descriptor)
            owner = .known(asked)
            return asked == status.owner
        }
    }

    func path(_ name: String) -> String { Self.join(path, name) }

    static func join(_ path: String, _ name: String) -> String {
        String(joining: path, path.utf8.last == UInt8(ascii: "/") ? "" : "/", name)
    }

    /// The status of what has this name, links not followed; nil if nothing has it.
    func status(of name: String) throws(FileSystemError) -> FileStatus? {
        var status = stat()
        do throws(ErrorNumber) {
            _ = try SystemCall.run { platform.statusOfName(descriptor, name, false, &status) }
        } catch  where error.code == ENOENT {
            return nil
        } catch {
            throw FileSystemError(.inspect, path(name), code: error.code)
        }
        return FileStatus(status)
    }

    /// The status of what has this name, or of what a link of this name leads to; nil if that is nothing.
    func target(of name: String) throws(FileSystemError) -> FileStatus? {
        var status = stat()
        do throws(ErrorNumber) {
            _ = try SystemCall.run { platform.statusOfName(descriptor, name, true, &status) }
        } catch  where error.code == ENOENT || error.code == ELOOP {
            return nil
        } catch {
            throw FileSystemError(.inspect, path(name), code: error.code)
        }
        return FileStatus(status)
    }

    /// Whether nothing has this name; false if that cannot be found out.
    func isNothing(named name: String) -> Bool {
        var status = stat()
        return platform.statusOfName(descriptor, name, false, &status) != 0 && errno == ENOENT
    }

    /// Opens a file, never through a link unless asked to, and without waiting for the other end of a pipe.
    ///
    /// - Parameter mode: the permissions of a file that is made, as far as the umask allows them.
    func open(
        _ name: String,
        _ flags: CInt,
        mode: mode_t = 0o666,
        followsLinks: Bool = false
    ) throws(FileSystemError) -> OpenFile {
        let operation: FileSystemError.Operation = flags & O_CREAT == 0 ? .open : .create
        let descriptor = try Self.call(operation, path(name)) {
            platform.open(self.descriptor, name, flags | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC, mode)
        }
        return OpenFile(owning: descriptor, in: self, name: name)
    }

    /// Makes a file without a name, to read and write it; `nil` where the file system knows no such files, or they are of no
    /// use.
    ///
    /// - Parameter name: the name that it is to have if it needs one.
    func openUnnamed(for name: String) throws(FileSystemError) -> OpenFile? {
        guard hasUnnamedFiles.load(ordering: .relaxed) else { return nil }
        do throws(FileSystemError) {
            let file = try Self.call(.create, path(name)) { platform.openUnnamed(descriptor) }
            return OpenFile(owning: file, in: self, name: name)
        } catch  where [EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS].contains(error.code) {
            makeNamedFiles()
            return nil
        }
    }

    /// From now on every file has a name from the start.
    func makeNamedFiles() { hasUnnamedFiles.store(false, ordering: .relaxed) }

    /// Removes the name. If it is gone already, that is no error.
    func unlink(_ name: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try Self.call(.delete, path(name)) { platform.unlink(descriptor, name) }
        } catch  where error.code == ENOENT {
            return
        }
    }

    /// Syncs the folder, so that the names which it has now survive a power cut. Slow.
    ///
    /// Not every file system can do this; that is no error. A sync may fail and the next one succeed: then all names are on
    /// disk. Of bytes that would not be true.
    func sync() throws(FileSystemError) {
        do throws(FileSystemError) {
            try Self.call(.sync, path) { platform.sync(descriptor) }
        } catch  where [EBADF, EINVAL, ENOSYS, ENOTSUP].contains(error.code) {}
    }

    /// Syncs the folder, unless that was done since a file got its name.
    ///
    /// - Parameter changed: when the file was last changed, by a name or otherwise.
    func keepNames(since changed: Duration) throws(FileSystemError) {
        let (now, last) = (platform.runtime.wallClock(), lastSync.withLock { $0 })
        let zero = platform.runtime.now - now
        // Another change in the same moment may leave times as they are.
        let moment = Duration.milliseconds(50)
        // A clock that was set since then says nothing.
        if let last, changed < last.began - moment, (last.zero - moment...last.zero + moment).contains(zero) { return }
        var status = stat()
        guard platform.status(descriptor, &status) == 0 else { return try sync() }
        let folderChanged = FileStatus(status).modified
        if last?.folderChanged == folderChanged { return }
        try sync()
        let isSettled = now - folderChanged > moment
        lastSync.withLock {
            $0 = NameSync(folderChanged: isSettled ? folderChanged : nil, began: now, zero: zero)
        }
    }

    /// Renames, and replaces a file that has the new name.
    func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try Self.call(.rename, path(newName)) { platform.rename(descriptor, name, newName) }
    }

    @discardableResult
    private static func call<Value: SignedInteger>(
        _ operation: FileSystemError.Operation,
        _ path: @autoclosure () -> String,
        _ body: () -> Value
    ) throws(FileSystemError) -> Value {
        do throws(ErrorNumber) {
            return try SystemCall.run(body)
        } catch {
            throw FileSystemError(operation, path(), code: error.code)
        }
    }
}

extension spate_volume {
    /// Whether it is known that no other machine, and no other program, serves these files.
    var isLocal: Bool {
        // ext2 to ext4 have one number. The last three, ZFS, bcachefs and NTFS, have no names in the system's header.
        [
            UInt(EXT4_SUPER_MAGIC), UInt(XFS_SUPER_MAGIC), UInt(BTRFS_SUPER_MAGIC), UInt(F2FS_SUPER_MAGIC),
            UInt(TMPFS_MAGIC), UInt(RAMFS_MAGIC), UInt(OVERLAYFS_SUPER_MAGIC), UInt(MSDOS_SUPER_MAGIC),
            0x2FC1_2FC1, 0xCA45_1A4E, 0x7366_746E,
        ].contains(kind)
    }
}

extension OpenFolder {
    /// Calls `body` with the name of each regular file, in no order, until it returns false. Where the file system does
    /// not say what is regular, all names come. Names that are not UTF-8 are left out: Spate makes none.
    func forEachName(while body: (String) -> Bool) throws(FileSystemError) {
        let result = platform.list(descriptor) { name, type in
            guard CInt(type) == DT_REG || CInt(type) == DT_UNKNOWN, let name = String(validating: name, as: UTF8.self)
            else { return true }
            return body(name)
        }
        if result < 0 { throw FileSystemError(.list, path, code: errno) }
    }

    /// See `Platform.list`.
    static func list(_ folder: CInt, _ body: (UnsafeRawBufferPointer, UInt8) -> Bool) -> CInt {
        // Opened anew: two listings at once must not share an offset.
        let listing = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { return -1 }
        guard let stream = fdopendir(listing) else {
            let code = errno
            close(listing)
            errno = code
            return -1
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 ? 0 : -1 }
            let goesOn = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                body(UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 }), entry.pointee.d_type)
            }
            if !goesOn { return 0 }
        }
    }

    /// Opens the folder at `path`, and makes it with its parents if it is not there.
    static func make(path: String, on platform: Platform) throws(FileSystemError) -> OpenFolder {
        do throws(FileSystemError) {
            return try OpenFolder(path: path, on: platform)
        } catch  where error.code == ENOENT {
            try makeFolders(path, on: platform)
            return try OpenFolder(path: path, on: platform)
        }
    }

    private static func makeFolders(_ path: String, on platform: Platform) throws(FileSystemError) {
        // Another process may be making it at the same time.
        if platform.makeFolder(path) == 0 || errno == EEXIST { return }
        let code = errno
        guard code == ENOENT, let parent = parent(of: path) else { throw FileSystemError(.create, path, code: code) }
        try makeFolders(parent, on: platform)
        if platform.makeFolder(path) == 0 || errno == EEXIST { return }
        throw FileSystemError(.create, path, code: errno)
    }

    private static func parent(of path: String) -> String? {
        var parent = path[...]
        while parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
        guard let slash = parent.utf8.lastIndex(of: UInt8(ascii: "/")), slash > parent.startIndex else { return nil }
        return String(parent[..<slash])
    }

    /// Whether nothing is at `path`, links not followed; false if that cannot be found out.
    static func isNothing(at path: String, on platform: Platform) -> Bool {
        var status = stat()
        return platform.statusAtPath(path, false, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The identity of the folder that is at `path` now.
    static func identity(at path: String, on platform: Platform) -> FileStatus.Identity? {
        var status = stat()
        return platform.statusAtPath(path, true, &status) == 0 ? FileStatus(status).identity : nil
    }
}
