/// What a system call is for, so that a step that is done by another call tomorrow is still counted as that step.
enum CallKind: String, Sendable, CaseIterable {
    case look, open, close, lock, attribute, room, read, write, flush, rename, remove
    case receive, send, wait, hand, memory, other

    /// The kind of a call by its name. On a socket, reading is receiving: that is told by the file, not by the name.
    init(_ name: String) {
        self = Self.kinds[name] ?? .other
    }

    private static let kinds = Dictionary(
        uniqueKeysWithValues: names.flatMap { kind, names in names.split(separator: " ").map { (String($0), kind) } }
    )

    private static let names: KeyValuePairs<CallKind, String> = [
        .look: """
        newfstatat fstat stat lstat statx access faccessat faccessat2 readlink readlinkat statfs fstatfs getdents \
        getdents64 getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr lseek
        """,
        .open: "open openat openat2 creat mkdir mkdirat",
        .close: "close",
        .lock: "flock fcntl",
        .attribute: """
        setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr chmod fchmod fchmodat fchown fchownat \
        utimensat
        """,
        .room: "fallocate truncate ftruncate fadvise64",
        .read: "read readv pread64 preadv",
        .write: "write writev pwrite64 pwritev pwritev2 sendfile splice",
        .flush: "fsync fdatasync sync_file_range syncfs",
        .rename: "rename renameat renameat2 link linkat symlink",
        .remove: "unlink unlinkat rmdir",
        .receive: "recvfrom recvmsg recvmmsg",
        .send: "sendto sendmsg sendmmsg",
        .wait: "poll ppoll select pselect6 epoll_wait epoll_pwait epoll_ctl nanosleep clock_nanosleep",
        .hand: "futex sched_yield",
        .memory: "mmap munmap mremap mprotect madvise brk",
    ]
}
