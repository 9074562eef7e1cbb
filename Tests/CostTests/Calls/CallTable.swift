import Foundation
import SpateTestSupport

/// How often a program made which system calls, as the program `CallCount` writes it down.
struct CallTable: Sendable, CustomStringConvertible {
    struct Line: Sendable, Hashable {
        /// About a file in the folder where the program works, or that folder itself, but not about the queue's journal.
        var isInside: Bool
        var call: String
    }

    private(set) var counts: [Line: Double] = [:]

    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Double(words[2]) else {
                throw SystemError("the line \"\(line)\" of a table of calls", number: EINVAL)
            }
            counts[Line(isInside: words[0] == "inside", call: String(words[1])), default: 0] += count
        }
    }

    /// What each unit cost, by which `longer` is longer than `shorter`: a start and an end, which both have, don't count.
    init(_ longer: CallTable, without shorter: CallTable, per units: Int) {
        counts = longer.counts.merging(shorter.counts.mapValues { -$0 }, uniquingKeysWith: +)
            .mapValues { $0 / Double(units) }
    }

    /// All calls of these kinds, about files in the folder or about all else.
    func count(_ kinds: Set<CallKind>, isInside: Bool) -> Double {
        counts.filter { $0.key.isInside == isInside && kinds.contains(CallKind($0.key.call)) }.values.reduce(0, +)
    }

    /// A line for each call, the most frequent first.
    var description: String {
        counts.filter { abs($0.value) >= 0.005 }
            .sorted { $0.value > $1.value }
            .map { line, count in
                "\(String(format: "%9.2f", count)) \(line.call)\(line.isInside ? " on files in the folder" : "")"
            }
            .joined(separator: "\n")
    }
}

/// What a system call is for: a step that is done by another call tomorrow is still counted as that step.
enum CallKind: String, Sendable, CaseIterable {
    case look, open, close, lock, attribute, room, read, write, flush, rename, remove
    case receive, send, wait, hand, memory, other

    /// The kind of a call by its name. On a socket reading is receiving, but the name does not show it.
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
        .write: "write writev pwrite64 pwritev pwritev2 sendfile splice copy_file_range",
        .flush: "fsync fdatasync sync_file_range syncfs",
        .rename: "rename renameat renameat2 link linkat symlink",
        .remove: "unlink unlinkat rmdir",
        .receive: "recvfrom recvmsg recvmmsg",
        .send: "sendto sendmsg sendmmsg",
        .wait: "poll ppoll select pselect6 epoll_wait epoll_pwait epoll_ctl nanosleep clock_nanosleep timerfd_settime",
        .hand: "futex sched_yield",
        .memory: "mmap munmap mremap mprotect madvise brk",
    ]
}
