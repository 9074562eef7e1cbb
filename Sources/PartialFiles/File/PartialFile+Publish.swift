import Glibc
import SpateExtendedAttributes
package import SpateFilePaths
package import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking

/// Syncing, and the final name.
extension PartialFile {
    /// Syncs the file, then records the bytes filled before the sync as durable. Never earlier: an attribute may reach
    /// the disk before the bytes. Slow; other threads may write meanwhile.
    ///
    /// The next sync, of new bytes, writes the mark to the disk. A sync for the mark alone would cost a second flush.
    ///
    /// A failed sync is never repeated, because the kernel reports lost bytes only once: see `syncFailure`.
    package func sync() throws(FileSystemError) {
        let begun: (file: OpenFile, filled: FilledRanges, cuts: Int)? = try state.withLock {
            state throws(FileSystemError) in
            if let failure = state.syncFailure { throw failure }
            let isNews = state.filled != state.durable && state.filled.isStorable
            return isNews && !state.isClosed ? (state.file, state.filled, state.cuts) : nil
        }
        guard let begun else { return }
        try sync(begun.file)
        try state.withLock { state throws(FileSystemError) in
            // A mark must not count truncated bytes, nor get onto a finished file, or onto a copy that was not synced.
            guard state.cuts == begun.cuts, !state.isClosed, state.file === begun.file else { return }
            var wanted = state.stored.record
            wanted.durable = DurableMark(begun.filled, boot: platform.boot, isList: wanted.filled != nil)
            // A sidecar is written as a whole.
            if wanted.filled != nil, state.filled.isStorable { wanted.filled = state.filled }
            try raise(&state, to: wanted)
        }
    }

    /// Syncs the whole file of `size` bytes, and its record. Slow. Write nothing after this.
    ///
    /// - Parameter checksum: the checksum that these bytes were proven to have, unless the server of `begin` stated it.
    /// - Throws: a `FileSystemError`; of kind `changed` if the file has another size, or gaps.
    package func prepareToPublish(size: Int64, checksum: String? = nil) throws(FileSystemError) {
        let (file, hasReturned) = try state.withLock { state throws(FileSystemError) in
            if let failure = state.syncFailure { throw failure }
            let file = state.file
            // Nobody else can write to an unnamed file, and what this process has written is known.
            let isOfSize = if state.naming == .unnamed { true } else { try file.status().size == size }
            guard isOfSize, state.filled == FilledRanges(upTo: size) else {
                throw FileSystemError(.inspect, file.path, code: ESTALE)
            }
            if state.reservedEnd > size { try file.resize(to: size) }
            state.reservedEnd = 0
            var wanted = state.stored.record
            wanted.dropList()
            wanted.total = size
            // A mirror's validator says nothing about the origin, and that of joined bytes may be another version's.
            if wanted.mirror != nil || wanted.isJoined {
                wanted.isJoined = false
                (wanted.mirror, wanted.validator, wanted.weakTag, wanted.digest) = (nil, nil, nil, nil)
            }
            wanted.checksum = checksum
            // A checksum that the user gave counts alone: the server's was not checked.
            if checksum != nil { wanted.digest = nil }
            (wanted.lastModified, wanted.isReplacing) = (nil, false)
            wanted.name = state.hasStatedName ? FileName(safe: state.location.finalName) : nil
            // Nothing is written after this. A file system without settable times keeps its own.
            if let time = state.stored.record.lastModified {
                file.setModified(secondsSince1970: Int64(time.secondsSince1970))
            }
            try state.stored.update(to: wanted, of: file)
            let isInSidecar = state.stored.medium == .sidecar
            return (file, isInSidecar && state.stored.returnToAttributes(of: file))
        }
        try sync(file)
        try state.withLock { state throws(FileSystemError) in
            if state.stored.medium == .sidecar {
                var record = state.stored.record
                record.durable = nil
                let sidecar = Sidecar(
                    record: record,
                    modified: try file.status().modified.components.seconds,
                    partialName: state.location.partialName
                )
                try sidecar.prepare(for: state.location.finalName, in: folder, durably: true)
            }
            // If it stays, nobody believes it.
            if hasReturned, state.naming == .partial {
                try? Sidecar.remove(for: state.location.partialName, in: folder)
            }
            state.isPrepared = true
        }
    }

    private func sync(_ file: OpenFile) throws(FileSystemError) {
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            state.withLock { $0.syncFailure = error }
            throw error
        }
    }

    /// Gives the file its final name. Quick: it may be called under a lock. Call `prepareToPublish` first.
    ///
    /// Replaces a symbolic link, never its target. Also replaces an earlier file of this download.
    ///
    /// - Parameter replaced: the other files that it may replace.
    /// - Returns: the final path.
    /// - Throws: a `FileSystemError`; of kind `alreadyExists` if a file that must stay has the name, `changed` if the
    ///   partial file was deleted or replaced. The partial file stays as it is.
    package func publish(replacing replaced: ReplacedFiles) throws(FileSystemError) -> FinalPath {
        try state.withLock { state throws(FileSystemError) in
            precondition(state.isPrepared, "a file is prepared before it is published")
            if state.isForgone { throw FileSystemError(.rename, state.location.partialPath, code: ESTALE) }
            if !state.isClosed, state.naming == .unnamed, linkFinal(state) {
                state.isClosed = true
                return state.location.finalPath
            }
            // The final name is taken. To replace its file, this one needs a name first.
            if !state.isClosed { try appear(&state) }
            let location = state.location
            guard !state.isClosed, try state.file.isStillNamed else {
                throw FileSystemError(.rename, location.partialPath, code: ESTALE)
            }
            switch state.stored.medium {
            case .attributes:
                try moveToFinalName(state, replacing: replaced)
                // A remaining mark does no harm.
                if state.stored.record.durable != nil {
                    try? state.file.attributes.remove(RecordField.durable.rawValue)
                }
            case .sidecar:
                // Until the rename, the old file needs its sidecar. After it, the prepared sidecar is the new file's,
                // even under its old name.
                try moveToFinalName(state, replacing: replaced)
                try? Sidecar.replace(for: location.finalName, in: folder)
                // If it stays, `removeLeftoverSidecars` finds it.
                try? Sidecar.remove(for: location.partialName, in: folder)
            }
            state.isClosed = true
            return location.finalPath
        }
    }

    /// Chooses another final name, because a response gave one, or because `publish` found a stranger's file under the
    /// present name. Prepare the file again after that.
    ///
    /// - Parameter isStated: whether a response gave it.
    package func choose(finalName name: FilePath, isStated: Bool = false) {
        state.withLock { state in
            if state.isPrepared, state.stored.medium == .sidecar {
                Sidecar.removePrepared(for: state.location.finalName, in: folder)
            }
            (state.location.finalName, state.hasStatedName, state.isPrepared) = (name, isStated, false)
        }
    }

    /// Calls `body` when the final name of a published file survives a power cut, or with the error if it may not. Slow:
    /// the first caller syncs the folder for all callers that arrive meanwhile, and calls their closures, too.
    ///
    /// The error is of kind `changed` if the folder is no longer at its path.
    package func whenFinalNameIsSynced(_ body: @escaping @Sendable (FileSystemError?) -> Void) {
        folder.syncs.join(body) { () throws(FileSystemError) in
            try folder.sync()
            try folder.checkPath()
        }
    }

    /// The same, in memory: nothing needs a sync there.
    package func checkFolder() throws(FileSystemError) { try folder.checkPath() }

    /// Where a published file is by now, if its folder was moved; nil if that is unknown.
    package var movedPath: FilePath? { folder.presentPath?.appending(finalName) }

    /// Deletes the other partial files of a published file, begun by a mirror or the origin. Skips the search if none
    /// was found or wanted. The next deletion finds the remaining ones.
    package func deleteOtherParts(isWanted: Bool) {
        guard isWanted || wasPresent else { return }
        try? directory.deleteOtherParts(of: location)
    }

    /// Removes the partial file and its record, if the name is still its own.
    package func delete() throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            guard !state.isClosed, state.naming == .partial, try state.file.isStillNamed else { return }
            try folder.unlink(state.location.partialName)
            if state.stored.medium == .sidecar { try Sidecar.remove(for: state.location.partialName, in: folder) }
        }
        close()
    }

    private func moveToFinalName(_ state: State, replacing replaced: ReplacedFiles) throws(FileSystemError) {
        let location = state.location
        do throws(ErrorNumber) {
            _ = try SystemCall.run {
                platform.renameWithoutReplacing(folder.descriptor, location.partialName, location.finalName)
            }
            return
        } catch {
            switch error.code {
            case EEXIST: break
            // The file system or the kernel does not know the flag. A link does not replace anything, either.
            case EINVAL, ENOSYS, ENOTSUP:
                let isLinked = try? SystemCall.run {
                    platform.link(folder.descriptor, location.partialName, location.finalName)
                }
                if isLinked != nil {
                    // The file has its final name. Keeping the other name, too, is no failure.
                    try? folder.unlink(location.partialName)
                    return
                }
            default: throw FileSystemError(.rename, location.finalPath.path, code: error.code)
            }
        }
        // The name is taken, or the file system has no hard links (vfat): check, then rename.
        try checkFinalName(location, replacing: replaced)
        try takeAccess(state)
        try folder.rename(location.partialName, to: location.finalName)
    }

    /// Throws `alreadyExists` if the final name belongs to something that must not be replaced.
    private func checkFinalName(
        _ location: FileLocation,
        replacing replaced: ReplacedFiles
    ) throws(FileSystemError) {
        let search = NameSearch(folder: folder, origin: location.origin)
        guard try search.owner(of: location.finalName).isReplaceable(by: replaced) else {
            throw FileSystemError(.rename, location.finalPath.path, code: EEXIST)
        }
    }
}
