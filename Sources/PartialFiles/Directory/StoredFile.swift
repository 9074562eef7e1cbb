package import SpateFilePaths
import SpateFileSystemCalls
package import SpateHTTPResumption
package import SpateHTTPSyntax

/// A file that Spate made in a folder, finished or not.
package struct StoredFile: Hashable, Sendable {
    package let path: FilePath
    /// The path of its folder.
    package var folder: FilePath { path.parent ?? path }
    /// Its path, if it is finished.
    package var finalPath: FinalPath { FinalPath(folder: folder, name: name) }
    /// Its present name.
    package let name: FilePath
    /// Its name when it is finished, as far as it is known.
    package let finalName: FilePath
    package let origin: HTTPURL
    /// The number of bytes; for a partial file, only the bytes that a resume would keep.
    package let size: Int64
    package let total: Int64?
    package let isFinished: Bool
    /// Whether a download is writing it now.
    package let isInUse: Bool
    /// The manager whose download of it is paused, waiting or due for a retry.
    package let owner: FileOwner?
    /// Whether its record is in a sidecar.
    let hasSidecar: Bool
    /// What to ask a server about a finished file; nil if nothing can prove that it is unchanged.
    package var entity: FinishedEntity?
    /// Whether it was chosen by its name alone. Anybody may have made it, and it may be behind a link.
    package var isStranger = false
    /// Whether a response gave the final name.
    package var hasStatedName = false
    /// Whether a document chose the URL.
    package var isOfDocument = false

    /// A finished file. Its total is its size.
    static func finished(
        _ name: FilePath,
        in folder: OpenFolder,
        origin: HTTPURL,
        size: Int64,
        hasSidecar: Bool = false
    ) -> StoredFile {
        StoredFile(
            path: folder.path(name),
            name: name,
            finalName: name,
            origin: origin,
            size: size,
            total: size,
            isFinished: true,
            isInUse: false,
            owner: nil,
            hasSidecar: hasSidecar
        )
    }

    /// The naming that leads to this file again.
    package var naming: FileNaming {
        if hasStatedName { return .stated }
        let isDerived = FileNaming.derived.candidates(for: origin).contains { $0.path == finalName }
        guard !isDerived, let name = try? FileName(explicit: finalName.text) else { return .derived }
        return .explicit(name)
    }
}
