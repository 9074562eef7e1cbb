package import CSpateSystem
package import Glibc
package import SpateExtendedAttributes
package import SpateFilePaths
package import SpateTiming

/// All file system calls, so that tests can make one fail and a simulation can have its own disk. As in the C library,
/// a failed call returns a negative number and sets `errno`.
package struct Platform: Sendable {
    /// The clock and random numbers.
    package var runtime: Runtime
    /// The present boot of the machine.
    package var boot: BootID?
    /// This process, with its living managers.
    package var process: RunningProcess
    /// When a process began, in ticks since the boot; `nil` if it does not run.
    package var startOfProcess: @Sendable (pid_t) -> UInt64?
    /// The user of this process.
    package var user: @Sendable () -> uid_t

    // MARK: Folders

    package var openFolder: @Sendable (_ path: FilePath) -> CInt
    package var makeFolder: @Sendable (_ path: FilePath) -> CInt
    /// The path of an open folder, as far as the system knows it.
    package var pathOfFolder: @Sendable (_ folder: CInt) -> FilePath?
    /// The status of the file at a path.
    package var statusAtPath: @Sendable (_ path: FilePath, _ followsLinks: Bool, UnsafeMutablePointer<stat>) -> CInt
    /// Calls a closure with each name in a folder and its type, as in `readdir(3)`, until the closure returns false.
    package var list: @Sendable (_ folder: CInt, (UnsafeRawBufferPointer, UInt8) -> Bool) -> CInt
    /// Watches a folder. Returns a descriptor of inotify(7).
    package var watch: @Sendable (_ folder: CInt) -> CInt
    package var readChanges: @Sendable (_ watch: CInt, UnsafeMutableRawBufferPointer) -> Int
    /// The owner of a new file in this folder; nil, with an error number, if none can be made.
    package var ownerOfNewFile: @Sendable (_ folder: CInt) -> uid_t?

    // MARK: Names in a folder

    /// Opens a file (flags, permissions of a new one).
    package var open: @Sendable (_ folder: CInt, _ name: FilePath, CInt, mode_t) -> CInt
    /// Makes a file without a name in a folder.
    package var openUnnamed: @Sendable (_ folder: CInt) -> CInt
    package var statusOfName:
        @Sendable (_ folder: CInt, _ name: FilePath, _ followsLinks: Bool, UnsafeMutablePointer<stat>) -> CInt
    package var unlink: @Sendable (_ folder: CInt, _ name: FilePath) -> CInt
    package var rename: @Sendable (_ folder: CInt, _ from: FilePath, _ to: FilePath) -> CInt
    package var renameWithoutReplacing: @Sendable (_ folder: CInt, _ from: FilePath, _ to: FilePath) -> CInt
    package var link: @Sendable (_ folder: CInt, _ from: FilePath, _ to: FilePath) -> CInt
    /// Gives an unnamed file this name, if the name is free.
    package var linkUnnamed: @Sendable (_ file: CInt, _ folder: CInt, _ name: FilePath) -> CInt

    // MARK: Open files and folders

    package var close: @Sendable (CInt) -> Void
    package var status: @Sendable (CInt, UnsafeMutablePointer<stat>) -> CInt
    package var birthTime: @Sendable (CInt, UnsafeMutablePointer<timespec>) -> CInt
    /// The kind and the free space of its file system.
    package var volume: @Sendable (CInt, UnsafeMutablePointer<spate_volume>) -> CInt
    /// Takes or releases a lock, without waiting for it: see flock(2).
    package var lock: @Sendable (CInt, _ mode: CInt) -> CInt
    /// The attributes of an open file.
    package var attributes: @Sendable (CInt) -> any FileAttributes
    package var read: @Sendable (CInt, UnsafeMutableRawPointer?, Int, Int64) -> Int
    /// Says how a range of a file is used (offset, length, advice): see posix_fadvise(2). Only a hint.
    package var advise: @Sendable (CInt, Int64, Int64, CInt) -> Void
    package var write: @Sendable (CInt, UnsafeRawPointer, Int, Int64) -> Int
    /// Copies a part of one file to the same offset (offset, length) of another, without this process.
    package var copy: @Sendable (_ from: CInt, _ to: CInt, Int64, Int) -> Int
    package var resize: @Sendable (CInt, Int64) -> CInt
    /// Reserves blocks (offset, length). The size of the file stays.
    package var reserve: @Sendable (CInt, Int64, Int64) -> CInt
    /// Sets the time of the last write, in seconds since 1970.
    package var setModified: @Sendable (CInt, Int64) -> CInt
    package var setPermissions: @Sendable (CInt, mode_t) -> CInt
    package var setOwner: @Sendable (CInt, uid_t, gid_t) -> CInt
    /// Syncs a file with its attributes, or a folder.
    package var sync: @Sendable (CInt) -> CInt
    /// The size limit of files. A write beyond it raises a signal that kills the process, so check it first.
    package var largestFile: @Sendable () -> Int64
    /// The most descriptors that the process may have open.
    package var mostDescriptors: @Sendable () -> Int

    /// The real file system.
    package static let native = Platform(
        runtime: .native,
        boot: .current,
        process: .this,
        startOfProcess: { RunningProcess.start(of: $0) },
        user: { geteuid() },
        openFolder: { Glibc.open($0.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
        makeFolder: { mkdir($0.text, 0o777) },
        pathOfFolder: { OpenFolder.systemPath(of: $0) },
        statusAtPath: { path, followsLinks, status in
            path.text.withCString { followsLinks ? stat($0, status) : lstat($0, status) }
        },
        list: { OpenFolder.list($0, $1) },
        watch: { OpenFolder.watch($0) },
        readChanges: { Glibc.read($0, $1.baseAddress, $1.count) },
        ownerOfNewFile: { NewFile.owner(in: $0) },
        open: { folder, name, flags, mode in name.text.withCString { openat(folder, $0, flags, mode) } },
        openUnnamed: { spate_open_unnamed($0) },
        statusOfName: { folder, name, followsLinks, status in
            name.text.withCString { fstatat(folder, $0, status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
        },
        unlink: { unlinkat($0, $1.text, 0) },
        rename: { renameat($0, $1.text, $0, $2.text) },
        renameWithoutReplacing: { folder, from, to in
            from.text.withCString { from in to.text.withCString { to in spate_renameat_noreplace(folder, from, to) } }
        },
        link: { linkat($0, $1.text, $0, $2.text, 0) },
        linkUnnamed: { file, folder, name in name.text.withCString { spate_link_unnamed(file, folder, $0) } },
        close: { _ = Glibc.close($0) },
        status: { fstat($0, $1) },
        birthTime: { spate_birth_time($0, $1) },
        volume: { spate_volume_of($0, $1) },
        lock: { flock($0, $1 | LOCK_NB) },
        attributes: { ExtendedAttributes(descriptor: $0) },
        read: { pread($0, $1, $2, off_t($3)) },
        advise: { _ = posix_fadvise($0, off_t($1), off_t($2), $3) },
        write: { pwrite($0, $1, $2, off_t($3)) },
        copy: { spate_copy_file_range($0, $1, off_t($2), $3) },
        resize: { ftruncate($0, off_t($1)) },
        reserve: { spate_fallocate_keep_size($0, off_t($1), off_t($2)) },
        setModified: { spate_set_modified($0, time_t($1)) },
        setPermissions: { fchmod($0, $1) },
        setOwner: { fchown($0, $1, $2) },
        // Not `fdatasync`: an attribute is not data, but may be the only change.
        sync: { fsync($0) },
        largestFile: { Int64(clamping: limit(of: RLIMIT_FSIZE)) },
        mostDescriptors: { Int(clamping: limit(of: RLIMIT_NOFILE)) }
    )

    /// The limit of a resource of this process; the largest number if it is unknown.
    private static func limit(of resource: __rlimit_resource) -> rlim_t {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 ? limit.rlim_cur : .max
    }

    /// Whether only this machine changes the file system of a folder.
    package func isLocal(_ folder: CInt) -> Bool {
        var volume = spate_volume()
        return self.volume(folder, &volume) == 0 && volume.isLocal
    }
}

/// The attributes of a file.
package protocol FileAttributes {
    func text(of name: String) throws(ErrorNumber) -> String?
    /// The names of the readable attributes.
    func names() throws(ErrorNumber) -> [String]
    func set(_ name: String, to text: String) throws(ErrorNumber)
    /// Sets the attribute if the file does not have it; else returns false.
    func add(_ name: String, _ text: String) throws(ErrorNumber) -> Bool
    func remove(_ name: String) throws(ErrorNumber)
}

extension ExtendedAttributes: FileAttributes {}
