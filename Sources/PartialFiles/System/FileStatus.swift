import Glibc

/// What `fstat` knows of a file, as far as we need it.
struct FileStatus: Sendable {
    enum Kind: Sendable {
        case regular, folder, link, other
    }

    /// The file itself, whatever its name.
    struct Identity: Hashable, Sendable {
        let device: dev_t
        let inode: ino_t
    }

    let kind: Kind
    let identity: Identity
    let size: Int64
    /// Its blocks on disk, in bytes: more than its size if blocks are reserved beyond its end.
    let allocated: Int64
    let linkCount: Int
    /// The time of the last write, in seconds since 1970.
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
