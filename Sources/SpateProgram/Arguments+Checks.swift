import Foundation
import Glibc

/// What must hold before anything starts. None of it changes what is on disk.
extension Arguments {
    /// The URLs of the command line and of the input files, each once.
    func addresses() throws(UsageError) -> [Address] {
        var list = try AddressList(self)
        return try list.next(.max)
    }

    /// The folder must be there, or be one that can be made.
    func checkFolderCanBeMade() throws(UsageError) {
        var path = folder.path
        if Self.isFolder(path) { return }
        while access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR, path != "/" {
            path = (path as NSString).deletingLastPathComponent
        }
        let shown = Address.quoted(directory ?? ".")
        var reason: String?
        if !Self.isFolder(path) {
            guard access(path, F_OK) != 0 else {
                throw UsageError(
                    .folderIsFile,
                    "--directory \(shown) can't be a folder: \(Address.oneLine(path)) is a file; choose another"
                )
            }
            reason = String(cString: strerror(errno))
        } else if access(path, W_OK | X_OK) != 0 {
            reason = "\(String(cString: strerror(errno))) in \(Address.oneLine(path))"
        }
        if let reason {
            throw UsageError(
                .folderCannotBeMade,
                "--directory \(shown) can't be made: \(reason); choose another"
            )
        }
    }

    /// The folder must be there.
    func checkFolderExists() throws(UsageError) {
        guard Self.isFolder(folder.path) else {
            throw UsageError(
                .folderMissing,
                "there is no folder \(Address.quoted(directory ?? ".")); name the one that holds the files with "
                    + "--directory DIR"
            )
        }
    }

    /// The file of certificates must be readable.
    func checkAuthorities() throws(UsageError) {
        guard let authorities, let path = authoritiesFile?.path else { return }
        let reason: String
        if access(path, R_OK) != 0 {
            reason = String(cString: strerror(errno))
        } else if Self.isFolder(path) {
            reason = "it is a folder"
        } else {
            return
        }
        throw UsageError(
            .unreadableCertificates,
            "can't read --cacert \(Address.quoted(authorities)): \(reason); name a file of certificates, in PEM"
        )
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
