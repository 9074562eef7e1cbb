import Glibc
package import SpateFilePaths
package import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax

/// Nothing here makes or changes a file or the folder.
extension DownloadDirectory {
    /// Looks for the file of a claim. Nothing else decides which file that is.
    ///
    /// - Parameters:
    ///   - made: the folder, if it was made for this; otherwise it may be missing.
    ///   - replaced: the files that are no result, because they may be replaced.
    func find(
        _ claim: FileClaim,
        in made: OpenFolder? = nil,
        replacing replaced: ReplacedFiles = .none
    ) throws(FileSystemError) -> NameSearch.Result {
        var changed: StoredFile?
        if replaced == .none, let file = try statedFile(claim), file.isFinished(else: &changed) {
            return .finished(file)
        }
        guard let folder = if let made { made } else { try existingFolder() } else { return .locations([]) }
        let result = try NameSearch(folder: folder, origin: claim.origin).result(for: claim.names, replacing: replaced)
        if let changed, case .locations = result { return .changed(changed) }
        return result
    }

    /// Whether the folder has no file of a claim, finished or partial; false if that is unknown.
    ///
    /// - Parameter listing: the names in the folder a moment ago.
    package func isNew(_ claim: FileClaim, in listing: FolderListing?) -> Bool {
        do throws(FileSystemError) {
            if let listing {
                if !listing.isNew(claim) { return false }
            } else if let folder = try existingFolder(), !claim.isNew(where: folder.isNothing) {
                return false
            }
            guard claim.naming == .stated else { return true }
            return try withIndex(isRecentEnough: true) { $0[claim.origin].isEmpty } ?? true
        } catch {
            return false
        }
    }

    /// The finished file of a claim, if there is one.
    package func finishedFile(_ claim: FileClaim) throws(FileSystemError) -> StoredFile? {
        let file = try finalFile(claim)
        return file?.isFinished == true ? file : nil
    }

    /// The final file of a claim: the finished one, or a changed one if none is finished.
    package func finalFile(_ claim: FileClaim) throws(FileSystemError) -> StoredFile? {
        switch try find(claim) {
        case .finished(let file), .changed(let file): file
        case .locations: nil
        }
    }

    /// The partial file of a claim, if there is one. Somebody may be writing it.
    package func partialFile(_ claim: FileClaim) throws(FileSystemError) -> StoredFile? {
        guard case .locations(let found) = try find(claim, replacing: .all) else { return nil }
        for location in found where location.isPresent {
            let file = try storedFile(location.partialName, in: location.folder)
            if let file, file.origin == claim.origin { return file }
        }
        return nil
    }

    /// The regular file with the preferred name of a claim, even another program's.
    package func anyFile(_ claim: FileClaim, followsLinks: Bool = true) throws(FileSystemError) -> StoredFile? {
        guard let folder = try existingFolder() else { return nil }
        let name = claim.preferred.path
        guard let status = try folder.status(of: name, followsLinks: followsLinks), status.kind == .regular else {
            return nil
        }
        return StoredFile(
            path: folder.path(name),
            name: name,
            finalName: name,
            origin: claim.origin,
            size: status.size,
            total: status.size,
            state: .finished,
            isStranger: true
        )
    }

    /// The path of the final file of a claim, or the path that it would get now.
    ///
    /// - Parameter isTaken: whether another download of this process has that final name.
    package func location(
        of claim: FileClaim,
        isTaken: (_ finalName: FilePath) -> Bool = { _ in false }
    ) throws(FileSystemError) -> FilePath {
        switch try find(claim) {
        case .finished(let file), .changed(let file): return file.path
        case .locations(let found):
            let location = found.first { !isTaken($0.finalName) }
            if claim.naming == .stated, let location, location.isPresent,
                let part = try storedFile(location.partialName, in: location.folder), part.hasStatedName,
                let stated = FileName(stored: part.finalName.text),
                let name = try finalName(claim, stated: stated, isTaken: isTaken)
            {
                return path(name)
            }
            let free = location?.finalName ?? claim.names.lazy.map(\.path).first { !isTaken($0) }
            return path(free ?? claim.preferred.path)
        }
    }

    /// All of Spate's files in the folder, finished or not, and those that were changed since, in no order. Empty if there
    /// is no folder. Other files are left out.
    ///
    /// - Parameter skippingForbidden: whether to skip files of our own that we may not read.
    package func contents(skippingForbidden: Bool = false) throws(FileSystemError) -> [StoredFile] {
        try contents { (error) throws(FileSystemError) in
            if !skippingForbidden || error.kind != .permissionDenied { throw error }
        }
    }

    /// - Parameter note: called with why a file cannot be read. If it throws, the listing ends.
    func contents(
        failing note: (FileSystemError) throws(FileSystemError) -> Void
    ) throws(FileSystemError) -> [StoredFile] {
        guard let folder = try existingFolder() else { return [] }
        var files: [StoredFile] = []
        try folder.forEachName { name throws(FileSystemError) in
            do throws(FileSystemError) {
                if let file = try storedFile(name, in: folder) { files.append(file) }
            } catch {
                try note(error)
            }
            return true
        }
        return files
    }

    /// Opens a finished file to read it.
    ///
    /// - Throws: a `FileSystemError`; of kind `changed` if the file is no longer as it was found.
    package func open(_ finished: StoredFile) throws(FileSystemError) -> OpenFile {
        let file = try folder().open(finished.name, O_RDONLY, followsLinks: finished.isStranger)
        let status = finished.isStranger ? try file.status() : try file.ownStatus()
        guard status?.size == finished.size else {
            throw FileSystemError(.open, file.path, code: ESTALE)
        }
        return file
    }

    /// The file of this name, if Spate made it.
    package func storedFile(_ name: FilePath) throws(FileSystemError) -> StoredFile? {
        guard let folder = try existingFolder() else { return nil }
        return try storedFile(name, in: folder)
    }

    func storedFile(_ name: FilePath, in folder: OpenFolder) throws(FileSystemError) -> StoredFile? {
        guard !FileName.isSidecar(name), let (file, status) = try folder.openOwn(name) else { return nil }
        let recorded = try RecordedFile(file, status)
        let record = recorded.record
        guard let state = recorded.state, let text = record.origin, let origin = try? HTTPURL(text), record.isOf(origin)
        else { return nil }
        if state != .partial { return recorded.finalFile(of: origin, in: folder) }
        guard let usual = FileName(ofPartial: name, origin: origin)?.path else { return nil }
        return StoredFile(
            path: folder.path(name),
            name: name,
            finalName: record.name?.path ?? usual,
            origin: origin,
            size: record.trusted(of: status.size, under: platform.boot).count,
            total: record.total,
            state: .partial,
            isInUse: try isLocked(file),
            owner: record.owner,
            hasSidecar: recorded.stored.medium == .sidecar,
            hasStatedName: record.name != nil,
            isReplacing: record.isReplacing,
            isOfDocument: record.isOfDocument
        )
    }

    /// Takes the lock and releases it at once. A download that opens the file in that instant tries again.
    func isLocked(_ file: OpenFile) throws(FileSystemError) -> Bool {
        guard try file.lock(LOCK_SH) else { return true }
        file.unlock()
        return false
    }
}
