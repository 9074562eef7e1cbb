import CSpateSystem
import Glibc
import SpateExtendedAttributes
package import SpateFilePaths
import SpateLocking
import SpateTiming
import Synchronization

/// An open folder. All calls use names relative to its descriptor, so that nobody can swap the folder between two
/// calls.
// `withCString` lends a String's own bytes to C; passing the String itself would copy it to the heap.
package final class OpenFolder: Sendable {
    package let descriptor: CInt
    package let path: FilePath
    package let platform: Platform
    package let identity: FileStatus.Identity
    /// Whether its files are in memory only, so that a sync takes no time.
    package let isInMemory: Bool
    package let syncs: GroupCommit
    /// Whether unnamed files can be made here, as far as known.
    private let hasUnnamedFiles = Atomic(true)
    /// The owner of files that we make here, once needed.
    private let newFilesOwner = Locked<NewFilesOwner>(.unasked)

    /// The paths of folders above with names that must be on disk before those in this folder, the outermost first.
    let unsyncedParents = Locked<[FilePath]>([])

    /// The last time that `keepNames` synced the folder.
    private let lastSync = Locked<NameSync?>(nil)

    private struct NameSync {
        /// When the folder had last changed; `nil` if it was just changing.
        let folderChanged: Duration?
        /// By the wall clock, like file times.
        let began: Duration
        /// The monotonic time at which the wall clock was zero. It moves when the wall clock is set.
        let zero: ContinuousClock.Instant
    }

    private enum NewFilesOwner {
        case unasked
        case known(uid_t?)
    }

    /// Opens the folder. Links to it are followed: a user may point to one.
    package init(path: FilePath, on platform: Platform) throws(FileSystemError) {
        descriptor = try SystemCall.run(.open, path) { platform.openFolder(path) }
        (self.path, self.platform, syncs) = (path, platform, GroupCommit(platform.runtime))
        var status = stat()
        guard platform.status(descriptor, &status) == 0 else {
            let code = errno
            platform.close(descriptor)
            throw FileSystemError(.inspect, path, code: code)
        }
        identity = FileStatus.Identity(status)
        var volume = spate_volume()
        let isKnown = platform.volume(descriptor, &volume) == 0
        isInMemory = isKnown && [UInt(TMPFS_MAGIC), UInt(RAMFS_MAGIC)].contains(volume.kind)
    }

    deinit {
        platform.close(descriptor)
    }

    /// Whether a file has the owner of files that we make here. On vfat, FUSE or NFS that may not be the user of this
    /// process.
    package func isOurs(_ status: FileStatus) throws(FileSystemError) -> Bool {
        if status.owner == platform.user() { return true }
        return try newFilesOwner.withLock { owner throws(FileSystemError) in
            if case .known(let owner) = owner { return owner == status.owner }
            let asked = platform.ownerOfNewFile(descriptor)
            if asked == nil {
                let error = FileSystemError(.create, path, code: errno)
                // Where we may make no files, none are ours.
                guard [.permissionDenied, .readOnly].contains(error.kind) else { throw error }
            }
            owner = .known(asked)
            return asked == status.owner
        }
    }

    package func path(_ name: FilePath) -> FilePath { path.appending(name) }

    /// The status of this name; nil if nothing is there.
    package func status(of name: FilePath, followsLinks: Bool = false) throws(FileSystemError) -> FileStatus? {
        var status = stat()
        do throws(ErrorNumber) {
            _ = try SystemCall.run { platform.statusOfName(descriptor, name, followsLinks, &status) }
        } catch  where error.code == ENOENT || followsLinks && error.code == ELOOP {
            return nil
        } catch {
            throw FileSystemError(.inspect, path(name), code: error.code)
        }
        return FileStatus(status)
    }

    /// Whether the name is free; false if unknown.
    package func isNothing(named name: FilePath) -> Bool {
        var status = stat()
        return platform.statusOfName(descriptor, name, false, &status) != 0 && errno == ENOENT
    }

    /// Opens a file, never through a link unless requested, and without waiting for the other end of a pipe.
    ///
    /// - Parameter mode: the permissions of a new file, within the umask.
    package func open(
        _ name: FilePath,
        _ flags: CInt,
        mode: UInt32 = 0o666,
        followsLinks: Bool = false
    ) throws(FileSystemError) -> OpenFile {
        let operation: FileSystemError.Operation = flags & O_CREAT == 0 ? .open : .create
        let descriptor = try SystemCall.run(operation, path(name)) {
            platform.open(self.descriptor, name, flags | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC, mode)
        }
        return OpenFile(owning: descriptor, in: self, name: name)
    }

    /// Opens a file that Spate may have made. nil if that is impossible: nothing is there, or something that is not a
    /// file, or another user's file that we may not read.
    ///
    /// - Throws: a `FileSystemError` if it is unknown what is there.
    package func openPossible(_ name: FilePath, _ flags: CInt = O_RDONLY) throws(FileSystemError) -> OpenFile? {
        do throws(FileSystemError) {
            return try open(name, flags)
        } catch  where error.isAnswer {
            return nil
        } catch  where error.kind == .permissionDenied {
            guard let status = try status(of: name), status.kind == .regular, try isOurs(status) else { return nil }
            throw error
        }
    }

    /// Opens a regular file of our own, and returns it with its status; nil for anything else, or nothing.
    ///
    /// - Throws: a `FileSystemError` if it is unknown what is there.
    package func openOwn(
        _ name: FilePath,
        _ flags: CInt = O_RDONLY
    ) throws(FileSystemError) -> (file: OpenFile, status: FileStatus)? {
        guard let file = try openPossible(name, flags), let status = try file.ownStatus() else { return nil }
        return (file, status)
    }

    /// Makes an unnamed file to read and write; `nil` if the file system does not support such files, or they are
    /// useless.
    ///
    /// - Parameter name: the name to give it when it needs one.
    package func openUnnamed(for name: FilePath) throws(FileSystemError) -> OpenFile? {
        guard hasUnnamedFiles.load(ordering: .relaxed) else { return nil }
        do throws(FileSystemError) {
            let file = try SystemCall.run(.create, path(name)) { platform.openUnnamed(descriptor) }
            return OpenFile(owning: file, in: self, name: name)
        } catch  where [EOPNOTSUPP, EISDIR, EINVAL, ENOENT, ENOSYS].contains(error.code) {
            makeNamedFiles()
            return nil
        }
    }

    /// From now on, every file has a name from the start.
    package func makeNamedFiles() { hasUnnamedFiles.store(false, ordering: .relaxed) }

    /// Removes the name. A missing name is not an error.
    package func unlink(_ name: FilePath) throws(FileSystemError) {
        do throws(FileSystemError) {
            try SystemCall.run(.delete, path(name)) { platform.unlink(descriptor, name) }
        } catch  where error.code == ENOENT {
            return
        }
    }

    /// Syncs the folder, so that its present names survive a power cut. Slow.
    ///
    /// A file system without this call is not an error. If a sync fails and the next one succeeds, all names are on
    /// disk. For file contents that would not be true.
    package func sync() throws(FileSystemError) {
        try syncParents()
        do throws(FileSystemError) {
            try SystemCall.run(.sync, path) { platform.sync(descriptor) }
        } catch  where [EBADF, EINVAL, ENOSYS, ENOTSUP].contains(error.code) {}
    }

    /// The next sync of this folder syncs these first: the folder itself could lose its name in a power cut, and its
    /// files with it.
    package func noteUnsynced(_ parents: [FilePath]) {
        if !isInMemory { unsyncedParents.withLock { $0 += parents } }
    }

    /// Syncs the folder, unless it was synced since the file got its name.
    ///
    /// - Parameter changed: when the file's name, content or attributes last changed.
    package func keepNames(since changed: Duration) throws(FileSystemError) {
        let (now, last) = (platform.runtime.wallClock(), lastSync.withLock { $0 })
        let zero = platform.runtime.now - now
        // Another change in the same moment may leave times as they are.
        let moment = Duration.milliseconds(50)
        // After the clock was set, the times prove nothing.
        if let last, changed < last.began - moment, (last.zero - moment...last.zero + moment).contains(zero) { return }
        guard let folderChanged = try? status().modified else { return try sync() }
        if last?.folderChanged == folderChanged { return }
        try sync()
        let isSettled = now - folderChanged > moment
        lastSync.withLock {
            $0 = NameSync(folderChanged: isSettled ? folderChanged : nil, began: now, zero: zero)
        }
    }

    /// Renames, and replaces a file that has the new name.
    package func rename(_ name: FilePath, to newName: FilePath) throws(FileSystemError) {
        try SystemCall.run(.rename, path(newName)) { platform.rename(descriptor, name, newName) }
    }

    /// Its present status.
    package func status() throws(FileSystemError) -> FileStatus {
        var status = stat()
        try SystemCall.run(.inspect, path) { platform.status(descriptor, &status) }
        return FileStatus(status)
    }
}

extension spate_volume {
    /// Whether certainly no other machine or program serves these files.
    var isLocal: Bool {
        // ext2 to ext4 share a number. The last three, ZFS, bcachefs and NTFS, are not in the system's header.
        [
            UInt(EXT4_SUPER_MAGIC), UInt(XFS_SUPER_MAGIC), UInt(BTRFS_SUPER_MAGIC), UInt(F2FS_SUPER_MAGIC),
            UInt(TMPFS_MAGIC), UInt(RAMFS_MAGIC), UInt(OVERLAYFS_SUPER_MAGIC), UInt(MSDOS_SUPER_MAGIC),
            0x2FC1_2FC1, 0xCA45_1A4E, 0x7366_746E,
        ].contains(kind)
    }
}

extension OpenFolder {
    /// Calls `body` with the name of each regular file, in no order, until it returns false. If the file system does
    /// not report types, all names come. Skips names that are not UTF-8: Spate makes none.
    ///
    /// - Parameter start: what the wanted names begin with. The others cost little.
    package func forEachName(
        startingWith start: FilePath = "",
        while body: (FilePath) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) {
        try forEachName(ofType: DT_REG, startingWith: start, while: body)
    }

    /// The names of the folders in it, in no order. If the file system does not report types, all names come.
    package func folderNames() throws(FileSystemError) -> [FilePath] {
        var names: [FilePath] = []
        try forEachName(ofType: DT_DIR) { name in
            if name != ".", name != ".." { names.append(name) }
            return true
        }
        return names
    }

    private func forEachName(
        ofType wanted: Int,
        startingWith start: FilePath = "",
        while body: (FilePath) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) {
        var failure: FileSystemError?
        let start = Array(start.bytes)
        let result = platform.list(descriptor) { name, type in
            guard Int(type) == wanted || Int(type) == DT_UNKNOWN, name.starts(with: start),
                let name = String(validating: name, as: UTF8.self)
            else { return true }
            do throws(FileSystemError) {
                return try body(FilePath(name))
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if result < 0 { throw FileSystemError(.list, path, code: errno) }
    }

    /// See `Platform.list`.
    static func list(_ folder: CInt, _ body: (UnsafeRawBufferPointer, UInt8) -> Bool) -> CInt {
        // Opened again: two listings at once must not share an offset.
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

    /// See `Platform.watch`.
    static func watch(_ folder: CInt) -> CInt {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return -1 }
        let changes = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        // By its descriptor: another folder may have its path by now.
        guard inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", UInt32(changes) | UInt32(IN_ONLYDIR)) >= 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// Whether nothing is at `path`, without following links; false if unknown.
    package static func isNothing(at path: FilePath, on platform: Platform) -> Bool {
        var status = stat()
        return platform.statusAtPath(path, false, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The identity of what is at `path` now, following links; nil if nothing is.
    package static func identity(
        at path: FilePath,
        on platform: Platform
    ) throws(FileSystemError) -> FileStatus.Identity? {
        var status = stat()
        do throws(FileSystemError) {
            try SystemCall.run(.inspect, path) { platform.statusAtPath(path, true, &status) }
            return FileStatus.Identity(status)
        } catch  where error.isAnswer {
            return nil
        }
    }
}
