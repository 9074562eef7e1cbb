import CSpateSystem
import Glibc
import SpateExtendedAttributes
package import SpateFilePaths

/// Makes a file to inspect it, and removes it at once.
package enum NewFile {
    /// The owner of new files; nil, with an error number, if none can be made in this folder.
    static func owner(in folder: CInt) -> uid_t? {
        var status = stat()
        let unnamed = try? SystemCall.run { spate_open_unnamed(folder) }
        guard let descriptor = unnamed ?? named(in: folder) else { return nil }
        defer { close(descriptor) }
        return fstat(descriptor, &status) == 0 ? status.st_uid : nil
    }

    /// For file systems without unnamed files.
    private static func named(in folder: CInt) -> CInt? {
        let name = name(.random(in: .min ... .max))
        let descriptor = try? SystemCall.run {
            openat(folder, name.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        }
        if descriptor != nil { unlinkat(folder, name.text, 0) }
        return descriptor
    }

    /// The name of an unfinished sidecar: no listing shows such a file, should we be stopped before it is removed.
    package static func name(_ number: UInt64) -> FilePath { ".\(String(number, radix: 36)).spate.tmp" }
}
