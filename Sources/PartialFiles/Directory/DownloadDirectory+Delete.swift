import Glibc
import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPSyntax
import SpateLocking

/// Deletes only files whose record proves that Spate made them for that URL. Having nothing to delete is not an error.
/// If a file cannot be deleted, the others still are, and then its error is thrown: of kind `inUse` if another download
/// is writing the file, `changed` if somebody changed it since it was finished.
extension DownloadDirectory {
    /// Finds the partial file that the caller itself is writing for a URL. Its lock does not prevent the deletion: the
    /// writer continues into a file without a name.
    package typealias Writing = (HTTPURL) -> PartialFile?

    /// Deletes the files of a claim, finished and partial.
    package func delete(_ claim: FileClaim, writing: Writing = { _ in nil }) throws(FileSystemError) {
        let origin = claim.origin
        // A partial file that is published meanwhile is found under its final name.
        let names = claim.partialNames + claim.names.map(\.path)
        var failure: FileSystemError?
        do throws(FileSystemError) { try removeEach(names.map { ($0, origin) }, writing) } catch { failure = error }
        while let file = try statedFile(claim), try removeEach([(file.name, origin)], writing) > 0 {}
        if let failure { throw failure }
    }

    /// Deletes all files of these URLs, under any name. Reads the whole folder if it is not known.
    ///
    /// - Returns: the URLs with a file that could not be deleted, each with the first error. If a file of our own may not
    ///   be read, it may be any URL's.
    package func deleteAll(
        of origins: Set<HTTPURL>,
        writing: Writing = { _ in nil }
    ) throws(FileSystemError) -> [HTTPURL: FileSystemError] {
        var failures: [HTTPURL: FileSystemError] = [:]
        for anew in [false, true] {
            let files = try withIndex(anew: anew) { index in origins.map { ($0, index[$0]) } } ?? []
            var isOutOfDate = false
            for (origin, names) in files where !names.isEmpty {
                do throws(FileSystemError) {
                    let count = try removeEach(names.map { ($0, origin) }, writing)
                    if count < names.count { isOutOfDate = true }
                } catch {
                    failures[origin] = error
                }
            }
            if !isOutOfDate { break }
        }
        if let forbidden = known.withLock({ $0?.forbidden.values.first }) {
            for origin in origins { failures[origin] = failures[origin] ?? forbidden }
        }
        return failures
    }

    /// Deletes files from `contents()`, if they still belong to those URLs.
    package func delete(_ files: [StoredFile], writing: Writing = { _ in nil }) throws(FileSystemError) {
        try removeEach(files.map { ($0.name, $0.origin) }, writing)
    }

    /// Deletes all of Spate's files.
    package func deleteContents(writing: Writing = { _ in nil }) throws(FileSystemError) {
        var failure: FileSystemError?
        let files = try contents { failure = failure ?? $0 }
        try delete(files, writing: writing)
        if let failure { throw failure }
    }

    /// Deletes all partial files of a download except the one at this location. A whole file makes them useless.
    package func deleteOtherParts(of location: FileLocation) throws(FileSystemError) {
        let names = location.searched.partials(of: location.origin)
        try removeEach(names.filter { $0 != location.partialName }.map { ($0, location.origin) }) { _ in nil }
    }

    /// Removes the sidecars of the partial file, and names the finished file's sidecar. A run that is stopped right
    /// after the rename leaves this undone.
    package func removeLeftoverSidecars(beside file: StoredFile) {
        // If a step fails, the next run tries again.
        guard file.hasSidecar, let folder = try? existingFolder() else { return }
        if let open = try? folder.open(file.name, O_RDONLY) { try? Sidecar.finish(open) }
        for name in file.partialNames { try? Sidecar.removeOrphan(for: name, of: file.origin, in: folder) }
    }

    /// Deletes partial files that nobody wants beside a finished one: another process had begun them before the file was
    /// finished, and was killed. Keeps an unfinished update or repair, a file that somebody is writing or owns, and one of
    /// another version.
    ///
    /// - Parameter own: the caller, whose own part is useless, too.
    package func deleteUselessParts(beside file: StoredFile, of own: FileOwner?) {
        // If a step fails, the next run tries again.
        guard !file.isStranger, let folder = try? existingFolder() else { return }
        for name in file.partialNames where !folder.isNothing(named: name) {
            guard let (part, status) = (try? folder.openOwn(name)) ?? nil,
                let found = try? RecordedFile(part, status), found.state == .partial,
                found.record.isUseless(beside: file),
                found.record.owner == own || found.record.owner?.isAlive(on: platform) != true,
                (try? isLocked(part)) == false
            else { continue }
            // Its own record and its lock decide.
            _ = try? remove(name, of: file.origin, in: folder) { _ in nil }
        }
    }

    /// Returns how many names had a file of their URL.
    @discardableResult
    private func removeEach(
        _ files: [(name: FilePath, origin: HTTPURL)],
        _ writing: Writing
    ) throws(FileSystemError) -> Int {
        guard let folder = try existingFolder() else { return 0 }
        var failure: FileSystemError?
        var count = 0
        for (name, origin) in files {
            do throws(FileSystemError) {
                if try remove(name, of: origin, in: folder, writing) { count += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Returns whether the URL has a file of this name, even if the file must stay.
    private func remove(
        _ name: FilePath,
        of origin: HTTPURL,
        in folder: OpenFolder,
        _ writing: Writing
    ) throws(FileSystemError) -> Bool {
        guard let found = try folder.status(of: name) else {
            try Sidecar.removeOrphan(for: name, of: origin, in: folder)
            return false
        }
        let isPartial = FileName.isPartial(name)
        guard found.kind == .regular,
            let (file, status) = try isPartial ? openToLock(name, in: folder) : folder.openOwn(name),
            status.identity == found.identity
        else { return false }
        let recorded = try RecordedFile(file, status)
        guard recorded.record.isOf(origin) else { return false }
        guard let state = recorded.state else { return true }
        if state == .changed { throw FileSystemError(.delete, file.path, code: ESTALE) }
        if isPartial {
            // An attempt of this caller may have just locked its file without being known yet.
            var isDone = false
            let isLocked = try file.lockAlone { _ throws(FileSystemError) in
                isDone = try writing(origin)?.removeName(of: status.identity) ?? false
                return isDone
            }
            if isDone { return true }
            guard isLocked else { throw FileSystemError(.delete, file.path, code: EWOULDBLOCK) }
        }
        defer { if isPartial { file.unlock() } }
        // The last writer may have published the file before we had the lock.
        guard try file.isStillNamed(as: status.identity) else { return false }
        try folder.unlink(name)
        if recorded.stored.medium == .sidecar { try Sidecar.remove(for: name, in: folder) }
        return true
    }

    /// NFS locks a file exclusively only for processes that may write it; see flock(2).
    private func openToLock(
        _ name: FilePath,
        in folder: OpenFolder
    ) throws(FileSystemError) -> (file: OpenFile, status: FileStatus)? {
        do throws(FileSystemError) {
            return try folder.openOwn(name, O_RDWR)
        } catch  where [.permissionDenied, .readOnly, .inUse].contains(error.kind) {
            return try folder.openOwn(name)
        }
    }
}

extension StoredFile {
    /// The names that partial files of a finished file may have.
    fileprivate var partialNames: [FilePath] {
        let names = [FileName(safe: name)] + (hasStatedName ? [FileName(derivedFrom: origin)] : [])
        return names.flatMap { $0.partials(of: origin) }
    }
}

extension ResumeRecord {
    /// Whether a partial file with this record is of the same version as a finished file, as far as is known, and does
    /// not replace it.
    fileprivate func isUseless(beside file: StoredFile) -> Bool {
        if !isOf(file.origin) || isReplacing { return false }
        guard let total else { return true }
        guard total == file.size else { return false }
        // A mirror's validator says nothing about the origin.
        if mirror != nil || file.entity == nil { return true }
        return finishedEntity(size: file.size, named: file.name) == file.entity
    }
}

extension PartialFile {
    /// Removes the name and the record, if this is the file with that identity, and open; else returns false. The
    /// writer continues into a file without a name.
    fileprivate func removeName(of identity: FileStatus.Identity) throws(FileSystemError) -> Bool {
        // Under the lock: a closed file may be another download's.
        try state.withLock { state throws(FileSystemError) in
            guard !state.isClosed, try state.file.status().identity == identity else { return false }
            guard try state.file.isStillNamed(as: identity) else { return true }
            try folder.unlink(state.location.partialName)
            if state.stored.medium == .sidecar { try Sidecar.remove(for: state.location.partialName, in: folder) }
            return true
        }
    }
}
