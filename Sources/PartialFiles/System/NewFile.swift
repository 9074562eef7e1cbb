import CSystem
import ExtendedAttributes
import Glibc

/// Makes a file to inspect it, and removes it at once.
enum NewFile {
    /// The owner of new files; nil if none can be made in this folder.
    static func owner(in folder: CInt) -> uid_t? {
        var status = stat()
        guard let descriptor = unnamed(in: folder) ?? named(in: folder) else { return nil }
        defer { close(descriptor) }
        return fstat(descriptor, &status) == 0 ? status.st_uid : nil
    }

    private static func unnamed(in folder: CInt) -> CInt? {
        try? SystemCall.run { spate_open_unnamed(folder) }
    }

    /// For file systems without unnamed files. No listing shows a file of this name, should we be stopped in between.
    private static func named(in folder: CInt) -> CInt? {
        let name = FileName.unfinishedSidecar(of: String(UInt64.random(in: .min ... .max), radix: 36))
        let descriptor = try? SystemCall.run { openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        if descriptor != nil { unlinkat(folder, name, 0) }
        return descriptor
    }
}
