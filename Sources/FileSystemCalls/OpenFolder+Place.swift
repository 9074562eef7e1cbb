import Glibc
package import SpateFilePaths

/// Where an open folder is: it may be moved meanwhile, or another may get its path.
extension OpenFolder {
    /// Checks that the folder is still at its path.
    ///
    /// - Throws: a `FileSystemError`; of kind `changed` if nothing is there, or another folder.
    package func checkPath() throws(FileSystemError) {
        let found = try Self.identity(at: path, on: platform)
        if found == identity { return }
        // Some file systems change the number of a folder that stays where it is.
        guard let found, try status().identity == found else { throw FileSystemError(.find, path, code: ESTALE) }
    }

    /// Its path by now; nil if that is unknown, or if the folder was deleted.
    package var presentPath: FilePath? {
        // The system's answer may be "/old (deleted)", or lead out of this process's root.
        guard let path = platform.pathOfFolder(descriptor), let present = try? status().identity,
            (try? Self.identity(at: path, on: platform)) == present
        else { return nil }
        return path
    }

    /// See `Platform.pathOfFolder`.
    static func systemPath(of folder: CInt) -> FilePath? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress?.bindMemory(to: CChar.self, capacity: buffer.count) else { return nil }
            let count = readlink("/proc/self/fd/\(folder)", start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(validating: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self).map {
                FilePath($0)
            }
        }
    }
}
