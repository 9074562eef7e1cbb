import Glibc

/// What `fstat` tells of a file, as far as it is of use here.
struct FileStatus: Sendable {
    enum Kind: Sendable {
        case regular, folder, link, other
    }

    /// Which file it is, whatever its name.
    struct Identity: Hashable, Sendable {
        let device: dev_t
        let inode: ino_t
    }

    let kind: Kind
    let identity: Identity
    let size: Int64
    /// What it takes of the disk, in bytes: more than its size where blocks are reserved beyond its end.
    let allocated: Int64
    let linkCount: Int
    /// When it was last written to, in seconds since 1970.
    let modified: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        identity = Identity(device: status.st_dev, inode: status.st_ino)
        size = Int64(status.st_size)
        allocated = Int64(status.st_blocks) * 512
        linkCount = Int(status.st_nlink)
        modified = Int64(status.st_mtim.tv_sec)
    }
}
