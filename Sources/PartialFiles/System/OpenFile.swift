import ExtendedAttributes
import Glibc

/// A descriptor that is closed when nobody holds it any more, and its path for what errors say.
///
/// It is never closed earlier: a late call from another thread must not reach a file that got the same number.
final class OpenFile: Sendable {
    let descriptor: CInt
    let folder: OpenFolder
    /// The name under which it was opened.
    let name: String

    init(owning descriptor: CInt, in folder: OpenFolder, name: String) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
    }

    deinit {
        // A failed close is no news: what was to be kept has been flushed before.
        close(descriptor)
    }

    var path: String { folder.path(name) }

    func status() throws(FileSystemError) -> FileStatus {
        var status = stat()
        try call(.inspect) { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// Whether `name` in the folder still is this file, whose identity the caller knows.
    func isStillNamed(as identity: FileStatus.Identity) throws(FileSystemError) -> Bool {
        try folder.status(of: name)?.identity == identity
    }

    var isStillNamed: Bool {
        get throws(FileSystemError) { try isStillNamed(as: status().identity) }
    }

    /// Cuts or extends to `size`. At the present size this gives back the blocks that were reserved beyond it.
    func resize(to size: Int64) throws(FileSystemError) {
        try call(.truncate) { ftruncate(descriptor, off_t(size)) }
    }

    /// Takes the lock, or says that somebody else has it. File systems that know no locks are done without.
    func lock(_ mode: CInt) throws(FileSystemError) -> Bool {
        do throws(ErrorNumber) {
            _ = try SystemCall.run { flock(descriptor, mode | LOCK_NB) }
            return true
        } catch {
            switch error.code {
            case EWOULDBLOCK: return false
            case ENOLCK, ENOTSUP, EINVAL, ENOSYS: return true
            default: throw FileSystemError(.lock, path, code: error.code)
            }
        }
    }

    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Reads from `offset` until `buffer` is full or the file ends.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try call(.read) {
                pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done,
                    off_t(offset) + off_t(done)
                )
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes`, however many calls that takes.
    func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        on platform: Platform
    ) throws(FileSystemError) {
        var rest = bytes
        var place = offset
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = try call(.write) { platform.write(descriptor, start, rest.count, place) }
            // Nothing written and no error: there is no such thing for a file, but it must not become a loop.
            guard count > 0 else { throw FileSystemError(.write, path, code: EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            place += Int64(count)
        }
    }

    @discardableResult
    func call<Value: SignedInteger>(
        _ operation: FileSystemError.Operation,
        _ body: () -> Value
    ) throws(FileSystemError) -> Value {
        do throws(ErrorNumber) {
            return try SystemCall.run(body)
        } catch {
            throw FileSystemError(operation, path, code: error.code)
        }
    }
}
