package import SpateFilePaths
package import SpateHTTPResumption
package import SpateHTTPSyntax

/// A file that Spate made in a folder.
package struct StoredFile: Hashable, Sendable {
    package enum State: Sendable {
        case partial, finished
        /// It was finished, and has another size since, or was written to as far as its record shows. It is neither a
        /// download's result nor a stranger's.
        case changed
    }

    package let path: FilePath
    /// The path of its folder.
    package var folder: FilePath { path.parent ?? path }
    /// Its path, if it has its final name.
    package var finalPath: FinalPath { FinalPath(folder: folder, name: name) }
    /// Its present name.
    package let name: FilePath
    /// Its name when it is finished, as far as it is known.
    package let finalName: FilePath
    package let origin: HTTPURL
    /// The number of bytes; for a partial file, only the bytes that a resume would keep.
    package let size: Int64
    /// The size of the whole file, if it is known; of a changed one, the size that it was finished with.
    package let total: Int64?
    package let state: State
    /// Whether a download is writing it now.
    package private(set) var isInUse = false
    /// The manager whose download of it is paused, waiting or due for a retry.
    package private(set) var owner: FileOwner?
    /// Whether its record is in a sidecar.
    private(set) var hasSidecar = false
    /// What to ask a server about a finished file; nil if nothing can prove that it is unchanged.
    package private(set) var entity: FinishedEntity?
    /// Whether it was chosen by its name alone. Anybody may have made it, and it may be behind a link.
    package private(set) var isStranger = false
    /// Whether a response gave the final name.
    package private(set) var hasStatedName = false
    /// Whether a partial file is to replace another file.
    package private(set) var isReplacing = false
    /// Whether a document chose the URL.
    package private(set) var isOfDocument = false

    package var isPartial: Bool { state == .partial }
    package var isFinished: Bool { state == .finished }
    package var isChanged: Bool { state == .changed }

    /// Whether it is finished. If not, it is noted, unless another one was.
    package func isFinished(else changed: inout StoredFile?) -> Bool {
        if !isFinished { changed = changed ?? self }
        return isFinished
    }

    /// The claim that leads to this file again.
    package var claim: FileClaim {
        let derived = FileClaim(origin, in: folder, naming: hasStatedName ? .stated : .derived)
        if hasStatedName || derived.names.contains(where: { $0.path == finalName }) { return derived }
        guard let name = try? FileName(explicit: finalName.text) else { return derived }
        return FileClaim(origin, in: folder, naming: .explicit(name))
    }
}
