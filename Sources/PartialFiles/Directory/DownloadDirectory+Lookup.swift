import Glibc
package import SpateFilePaths
package import SpateFileSystemCalls
import SpateHTTPResumption
package import SpateHTTPSyntax

/// Nothing here makes or changes a file or the folder.
extension DownloadDirectory {
    /// The finished file of `origin`, if there is one.
    package func finishedFile(of origin: HTTPURL, naming: FileNaming) throws(FileSystemError) -> StoredFile? {
        let file = try finalFile(of: origin, naming: naming)
        return file?.isFinished == true ? file : nil
    }

    /// The final file of `origin`: the finished one, or a changed one if none is finished.
    package func finalFile(of origin: HTTPURL, naming: FileNaming) throws(FileSystemError) -> StoredFile? {
        var changed: StoredFile?
        let names = naming.candidates(for: origin)
        for (turn, name) in names.enumerated() {
            // If nothing has this path, it does not matter whether the folder was replaced.
            if OpenFolder.isNothing(at: path(name.path), on: platform) {
                if turn >= names.hashTurn { break }
                continue
            }
            guard let folder = try existingFolder() else { return nil }
            let search = NameSearch(folder: folder, origin: origin)
            let file = search.finalFile(name.path, try search.owner(of: name.path))
            if let file, file.isFinished(else: &changed) { return file }
        }
        if let file = try statedFile(of: origin, naming), file.isFinished(else: &changed) { return file }
        return changed
    }

    /// The partial file of `origin`, if there is one. Somebody may be writing it.
    package func partialFile(of origin: HTTPURL, naming: FileNaming) throws(FileSystemError) -> StoredFile? {
        let names = naming.candidates(for: origin)
        for (turn, name) in names.enumerated() {
            var isFree = false
            // The second is used if a stranger has the first.
            for (index, partial) in [name.partial, name.partial(of: origin)].enumerated() {
                if OpenFolder.isNothing(at: path(partial), on: platform) {
                    isFree = isFree || index == 0
                    continue
                }
                guard let folder = try existingFolder() else { return nil }
                if let file = try storedFile(partial, in: folder), file.origin == origin { return file }
            }
            if isFree, turn >= names.hashTurn { break }
        }
        return nil
    }

    /// Whether the folder has nothing with any of these names, finished or partial; false if unknown. What a listing says
    /// of many downloads.
    package func lacksAll(_ candidates: FileNaming.Candidates) -> Bool {
        let folder: OpenFolder
        do throws(FileSystemError) {
            guard let found = try existingFolder() else { return true }
            folder = found
        } catch {
            return false
        }
        var names = candidates
        for turn in 0...candidates.hashTurn {
            guard let name = names.next() else { break }
            guard folder.isNothing(named: name.path), folder.isNothing(named: name.partial),
                turn > 0 || folder.isNothing(named: name.partial(of: candidates.origin))
            else { return false }
        }
        return true
    }

    /// The regular file with the preferred name of `origin`, even another program's.
    package func file(
        named naming: FileNaming,
        for origin: HTTPURL,
        followsLinks: Bool = true
    ) throws(FileSystemError) -> StoredFile? {
        guard let folder = try existingFolder() else { return nil }
        let name = naming.preferred(for: origin).path
        let found = try followsLinks ? folder.target(of: name) : folder.status(of: name)
        guard let status = found, status.kind == .regular else { return nil }
        var file = StoredFile.final(name, in: folder, origin: origin, size: status.size)
        file.isStranger = true
        return file
    }

    /// Whether a finished file is still there, as it was found.
    package func has(_ finished: StoredFile, naming: FileNaming) throws(FileSystemError) -> Bool {
        try finishedFile(of: finished.origin, naming: naming) == finished
    }

    /// The path of the finished file of `origin`, also if it was changed since, or the path that it would get now.
    ///
    /// - Parameter isTaken: whether another download of this process has that final name.
    package func location(
        of origin: HTTPURL,
        naming: FileNaming,
        isTaken: (_ finalName: FilePath) -> Bool = { _ in false }
    ) throws(FileSystemError) -> FilePath {
        if let file = try statedFile(of: origin, naming) { return file.path }
        let preferred = naming.preferred(for: origin)
        guard let folder = try existingFolder() else {
            let name = naming.candidates(for: origin).first { !isTaken($0.path) }
            return path((name ?? preferred).path)
        }
        let search = NameSearch(folder: folder, origin: origin)
        switch try search.result(for: naming.candidates(for: origin)) {
        case .finished(let file), .changed(let file): return file.path
        case .locations(let locations):
            let location = locations.first { !isTaken($0.finalName) }
            if naming == .stated, let location, case .own(let part) = try search.owner(of: location.partialName),
                let stated = part.record.name,
                let name = try finalName(for: origin, naming: naming, stated: stated, isTaken: isTaken)
            {
                return folder.path(name)
            }
            return location?.finalPath.path ?? folder.path(preferred.path)
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
        var failure: FileSystemError?
        try folder.forEachName { name in
            do throws(FileSystemError) {
                do throws(FileSystemError) {
                    if let file = try storedFile(name, in: folder) { files.append(file) }
                } catch {
                    try note(error)
                }
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        return files
    }

    /// The URLs of the finished and the partial file that a download with this name may have left. The name is a safe one.
    package func origins(of name: FilePath) throws(FileSystemError) -> Set<HTTPURL> {
        guard let folder = try existingFolder() else { return [] }
        var origins: Set<HTTPURL> = []
        for name in [name, FileName(safe: name).partial] {
            if let file = try storedFile(name, in: folder) { origins.insert(file.origin) }
        }
        return origins
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
