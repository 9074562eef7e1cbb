package import SpateFilePaths
import SpateFileSystemCalls
package import SpateHTTPSyntax
import SpateLocking

/// Files whose names came with a response. Their URLs do not lead to them, but the folder's index does.
///
/// Each download looks there. Where the kernel reports no changes, as on a network file system, a file that somebody else
/// has just finished may be missed, and is fetched again.
extension DownloadDirectory {
    /// The final file of a claim under a name that a response gave; nil if the naming is another. Reads the folder if it
    /// is not known.
    func statedFile(_ claim: FileClaim) throws(FileSystemError) -> StoredFile? {
        guard claim.naming == .stated else { return nil }
        return try finalFile(of: claim.origin, isRecentEnough: true) { $0.hasStatedName }
    }

    /// This process has just given a file a stated name.
    package func noteStatedFile(_ name: FilePath, of origin: HTTPURL) {
        known.withLock { $0?.note(name, of: origin) }
    }
}
