import ExtendedAttributes
import Glibc

extension OpenFolder {
    /// Calls `body` with the name of everything in the folder but folders, in no order, for as long as it returns true.
    /// Names that are not UTF-8 are passed over: Spate makes none.
    func forEachName(while body: (String) -> Bool) throws(FileSystemError) {
        // An open file description of its own: two listings at once must not share a place in the folder.
        let listing = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { throw FileSystemError(.list, path, code: errno) }
        guard let stream = fdopendir(listing) else {
            let code = errno
            close(listing)
            throw FileSystemError(.list, path, code: code)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code != 0 { throw FileSystemError(.list, path, code: code) }
                return
            }
            let type = CInt(entry.pointee.d_type)
            guard type == DT_REG || type == DT_UNKNOWN else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, !body(name) { return }
        }
    }

    /// Opens the folder at `path`, and makes it, and those above it, where there is none.
    static func make(path: String) throws(FileSystemError) -> OpenFolder {
        do throws(FileSystemError) {
            return try OpenFolder(path: path)
        } catch  where error.code == ENOENT {
            try makeFolders(path)
            return try OpenFolder(path: path)
        }
    }

    private static func makeFolders(_ path: String) throws(FileSystemError) {
        // Somebody else making it at the same time is as good.
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        let code = errno
        guard code == ENOENT, let parent = parent(of: path) else { throw FileSystemError(.create, path, code: code) }
        try makeFolders(parent)
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        throw FileSystemError(.create, path, code: errno)
    }

    private static func parent(of path: String) -> String? {
        var parent = path[...]
        while parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
        guard let slash = parent.utf8.lastIndex(of: UInt8(ascii: "/")), slash > parent.startIndex else { return nil }
        return String(parent[..<slash])
    }

    /// Whether nothing is at `path`, links not followed. What cannot be looked at may be something.
    static func isNothing(at path: String) -> Bool {
        var status = stat()
        return path.withCString { lstat($0, &status) } != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Which folder is at `path` now; nil where there is none.
    static func identity(at path: String) -> FileStatus.Identity? {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 ? FileStatus(status).identity : nil
    }
}
