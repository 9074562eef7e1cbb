import CSystem
import ExtendedAttributes
import Glibc

/// An open folder. All work in it goes by name relative to the descriptor, so that nobody can swap the folder for
/// another between two calls.
// A String that is given to C as it is would be copied to the heap for it; `withCString` lends its own bytes.
final class OpenFolder: Sendable {
    let descriptor: CInt
    let path: String
    let identity: FileStatus.Identity
    /// Whether its files are in memory and nowhere else, so that bringing them to the medium takes no time.
    let isInMemory: Bool

    /// Opens the folder, following links to it: where a user points is where files go.
    init(path: String) throws(FileSystemError) {
        descriptor = try Self.call(.open, path) { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        self.path = path
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw FileSystemError(.inspect, path, code: code)
        }
        identity = FileStatus(status).identity
        var volume = spate_volume()
        let isKnown = spate_volume_of(descriptor, &volume) == 0
        isInMemory = isKnown && [UInt(TMPFS_MAGIC), UInt(RAMFS_MAGIC)].contains(volume.kind)
    }

    deinit {
        close(descriptor)
    }

    func path(_ name: String) -> String { Self.join(path, name) }

    static func join(_ path: String, _ name: String) -> String {
        String(joining: path, path.utf8.last == UInt8(ascii: "/") ? "" : "/", name)
    }

    /// What has this name, links not followed; nil for nothing.
    func status(of name: String) throws(FileSystemError) -> FileStatus? {
        var status = stat()
        do throws(ErrorNumber) {
            _ = try SystemCall.run { name.withCString { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) } }
        } catch  where error.code == ENOENT {
            return nil
        } catch {
            throw FileSystemError(.inspect, path(name), code: error.code)
        }
        return FileStatus(status)
    }

    /// Whether nothing has this name. What cannot be looked at may be something.
    func isNothing(named name: String) -> Bool {
        var status = stat()
        return name.withCString { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) } != 0 && errno == ENOENT
    }

    /// Opens a file, never through a link, and without waiting for the other end of a pipe.
    func open(_ name: String, _ flags: CInt) throws(FileSystemError) -> OpenFile {
        let operation: FileSystemError.Operation = flags & O_CREAT == 0 ? .open : .create
        let descriptor = try Self.call(operation, path(name)) {
            name.withCString { openat(self.descriptor, $0, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666) }
        }
        return OpenFile(owning: descriptor, in: self, name: name)
    }

    /// Removes the name. One that is gone already is none to remove.
    func unlink(_ name: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try Self.call(.delete, path(name)) { unlinkat(descriptor, name, 0) }
        } catch  where error.code == ENOENT {
            return
        }
    }

    /// Renames, whatever has the new name.
    func rename(_ name: String, to newName: String) throws(FileSystemError) {
        try Self.call(.rename, path(newName)) { renameat(descriptor, name, descriptor, newName) }
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
