import Foundation
import Glibc

/// What must hold before anything starts. None of it touches the disk.
extension Arguments {
    /// The URLs of the command line and of the input files, each once.
    func addresses() throws(UsageError) -> [Address] {
        var list = try AddressList(self)
        return try list.next(.max)
    }

    /// One name is for one file.
    func checkOutput(names count: Int) throws(UsageError) {
        if output != nil, count > 1 {
            throw UsageError("--output names one file, and there are several URLs; use --directory to choose a folder")
        }
    }

    /// The folder must be there, or be one that can be made.
    func checkFolderCanBeMade() throws(UsageError) {
        var path = folder.path
        if Self.isFolder(path) { return }
        while access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR, path != "/" {
            path = (path as NSString).deletingLastPathComponent
        }
        let shown = Address.quoted(directory ?? ".")
        guard Self.isFolder(path) else {
            throw UsageError("--directory \(shown) can't be a folder: \(path) is a file; choose another")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw UsageError("--directory \(shown) can't be made in \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// The folder must be there.
    func checkFolderExists() throws(UsageError) {
        guard Self.isFolder(folder.path) else {
            throw UsageError("there is no folder \(Address.quoted(directory ?? ".")); name one with --directory")
        }
    }

    /// The file of certificates must be readable.
    func checkAuthorities() throws(UsageError) {
        guard let authorities, let path = authoritiesFile?.path else { return }
        guard access(path, R_OK) == 0 else {
            throw UsageError("can't read --cacert \(Address.quoted(authorities)): \(String(cString: strerror(errno)))")
        }
        guard !Self.isFolder(path) else {
            throw UsageError("--cacert \(Address.quoted(authorities)) is a folder; name a file of certificates")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
