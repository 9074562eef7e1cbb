package import Glibc

/// A name as the kernel knows it: bytes.
struct DiskName: Hashable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A place in a listing that has nothing to do with the alphabet, as in a hashed tree.
    var hash: UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// Who did something to a disk.
package enum DiskActor: Hashable, Sendable {
    case process(pid_t)
    case outsider

    package var isOutsider: Bool { self == .outsider }
}

/// An inode: a file, folder, link or pipe, whatever its names.
final class DiskNode {
    enum Kind {
        case file, folder, link, pipe

        /// As in `st_mode`.
        var mode: mode_t {
            switch self {
            case .file: S_IFREG
            case .folder: S_IFDIR
            case .link: S_IFLNK
            case .pipe: S_IFIFO
            }
        }

        /// As in `readdir(3)`.
        var type: UInt8 {
            switch self {
            case .file: UInt8(DT_REG)
            case .folder: UInt8(DT_DIR)
            case .link: UInt8(DT_LNK)
            case .pipe: UInt8(DT_FIFO)
            }
        }
    }

    /// What a power cut leaves.
    struct Durable {
        var content = FileContent()
        var attributes: [String: [UInt8]] = [:]
        var names: [DiskName: DiskNode] = [:]
        var modified: Duration
    }

    let number: UInt64
    let kind: Kind
    /// Whose it is.
    var maker: DiskActor
    let born: Duration
    var owner: uid_t = 1_000
    var permissions: mode_t
    var modified: Duration
    /// When it last got or lost a name, or was changed otherwise.
    var changed: Duration
    /// When it last got a name, in the time of the world.
    var named = Duration.zero
    var linkCount = 0
    /// How many open file descriptions and watches hold it.
    var openCount = 0
    /// Whether it was made without a name and never had one.
    var isUnnamed = false
    var attributes: [String: [UInt8]] = [:]
    var durable: Durable
    /// How many changes of its size are in the journal.
    var resizeCount = 0
    /// Each with the file description that holds it.
    var locks: [(holder: ObjectIdentifier, isExclusive: Bool)] = []

    // Of a file.
    var content = FileContent()
    /// Pages that a failed sync left as they were on the disk. The next sync doesn't write them.
    var lostPages: Set<Int> = []
    /// How many syncs have failed.
    var failureCount = 0
    /// Whose sync failed last.
    var failedSyncer: DiskActor?

    // Of a folder.
    var names: [DiskName: DiskNode] = [:]
    weak var parent: DiskNode?
    var isRemoved = false
    var watches: [FolderChanges] = []

    // Of a link.
    var target = ""

    init(_ kind: Kind, number: UInt64, permissions: mode_t, maker: DiskActor, at time: Duration) {
        (self.kind, self.number, self.permissions, self.maker) = (kind, number, permissions & ~0o022, maker)
        (born, modified, changed, durable) = (time, time, time, Durable(modified: time))
    }

    /// Its bytes, or its names, were changed.
    func touch(_ time: Duration) {
        (modified, changed) = (time, time)
    }

    /// Its names in the order of a listing.
    var sortedNames: [(key: DiskName, value: DiskNode)] { names.sorted { $0.key.hash < $1.key.hash } }

    var blockCount: Int { content.pageCount * (FileContent.pageSize / 512) }

    func fill(_ status: UnsafeMutablePointer<stat>) {
        var answer = stat()
        answer.st_dev = 0x5A7E
        answer.st_ino = ino_t(number)
        answer.st_mode = kind.mode | permissions
        answer.st_uid = owner
        answer.st_nlink = nlink_t(kind == .folder ? (isRemoved ? 0 : 2) : linkCount)
        answer.st_size = off_t(kind == .link ? target.utf8.count : kind == .folder ? 4_096 : content.size)
        answer.st_blksize = 4_096
        answer.st_blocks = blkcnt_t(blockCount)
        answer.st_mtim = timespec(modified)
        answer.st_ctim = timespec(changed)
        answer.st_atim = answer.st_mtim
        status.pointee = answer
    }
}

/// An open file description: what `open` makes.
final class OpenDescription {
    let node: DiskNode
    let access: CInt
    /// The folder and the name by which it was opened, for watches.
    var folder: DiskNode?
    var name: DiskName?
    /// How many failed syncs of the file it knows.
    var knownFailures: Int
    /// Of a watch.
    let changes: FolderChanges?

    init(_ node: DiskNode, access: CInt, folder: DiskNode? = nil, name: DiskName? = nil, changes: FolderChanges? = nil)
    {
        (self.node, self.access, self.folder, self.name, self.changes) = (node, access, folder, name, changes)
        knownFailures = node.failureCount
    }

    var canRead: Bool { access != O_WRONLY }
    var canWrite: Bool { access != O_RDONLY }
}

extension timespec {
    init(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
