import ExtendedAttributes
import Glibc
import Locking

extension PartialFile {
    /// Syncs the whole file, of `size` bytes, and records its size. Slow. Nothing may be written after this.
    ///
    /// - Throws: a `FileSystemError`; of kind `changed` if the file has another size.
    package func prepareToPublish(size: Int64) throws(FileSystemError) {
        let identity = try state.withLock { state throws(FileSystemError) in
            if let failure = state.syncFailure { throw failure }
            let status = try file.status()
            guard status.size == size else { throw FileSystemError(.inspect, file.path, code: ESTALE) }
            if state.reservedEnd > size { try file.resize(to: size) }
            state.reservedEnd = 0
            var wanted = state.stored.record
            wanted.total = size
            try state.stored.update(to: wanted, of: file, on: platform)
            return status.identity
        }
        try syncData()
        state.withLock { $0.prepared = identity }
    }

    /// Gives the file its final name, in one step. Quick, so that it can be done under a lock.
    ///
    /// A symbolic link that has the name is replaced, its target is not touched; so is a file of this very download
    /// that was left there.
    ///
    /// - Parameter replacing: whether any other regular file is replaced as well.
    /// - Returns: the final path.
    /// - Throws: a `FileSystemError`; of kind `alreadyExists` where something has the name that is not to be replaced,
    ///   `changed` where the partial file was deleted or replaced meanwhile. The partial file stays as it is.
    package func publish(replacing: Bool) throws(FileSystemError) -> String {
        try state.withLock { state throws(FileSystemError) in
            guard let identity = state.prepared else {
                preconditionFailure("a file is prepared before it is published")
            }
            if state.isClosed { throw FileSystemError(.rename, place.partialPath, code: ESTALE) }
            guard try file.isStillNamed(as: identity) else {
                throw FileSystemError(.rename, place.partialPath, code: ESTALE)
            }
            let replaceable = try writeFinalSidecar(state.stored, replacing: replacing)
            try moveIntoPlace(replacing: replacing, replaceable)
            state.isClosed = true
            removeTraces(state.stored)
            return place.finalPath
        }
    }

    /// Removes the partial file and its record, if the name still is its own.
    package func delete() throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            if state.isClosed { return }
            guard try file.isStillNamed else { return }
            try place.folder.unlink(place.partialName)
            if state.stored.medium == .sidecar { try Sidecar.remove(for: place.partialName, in: place.folder) }
        }
        close()
    }

    /// Writes the sidecar that the finished file will have, where it needs one.
    ///
    /// - Returns: what has the final name and was found to be replaceable: its own sidecar, which said so, is gone.
    private func writeFinalSidecar(
        _ stored: StoredRecord,
        replacing: Bool
    ) throws(FileSystemError) -> FileStatus.Identity? {
        guard stored.medium == .sidecar else { return nil }
        // Before the rename, lest there be a finished file that nobody knows; so it must be sure to come.
        let owner = try place.folder.status(of: place.finalName)?.identity
        guard try mayReplace(replacing: replacing) else { throw alreadyExists }
        var record = stored.record
        record.durable = nil
        try Sidecar(record: record, modified: try file.status().modified)
            .write(for: place.finalName, in: place.folder, on: platform, durably: false)
        return owner
    }

    private func moveIntoPlace(
        replacing: Bool,
        _ replaceable: FileStatus.Identity?
    ) throws(FileSystemError) {
        let folder = place.folder
        do throws(ErrorNumber) {
            _ = try SystemCall.run {
                platform.renameWithoutReplacing(folder.descriptor, place.partialName, place.finalName)
            }
        } catch {
            switch error.code {
            case EEXIST: try replace(replacing, replaceable)
            // This file system, or this kernel, does not know the flag.
            case EINVAL, ENOSYS, ENOTSUP: try linkIntoPlace(replacing, replaceable)
            default: throw FileSystemError(.rename, place.finalPath, code: error.code)
            }
        }
    }

    /// As good as a rename that replaces nothing; only that for an instant the file has both names.
    private func linkIntoPlace(_ replacing: Bool, _ replaceable: FileStatus.Identity?) throws(FileSystemError) {
        let folder = place.folder
        do throws(ErrorNumber) {
            _ = try SystemCall.run { platform.link(folder.descriptor, place.partialName, place.finalName) }
        } catch {
            // Something is there; or there are no hard links either (vfat): look first, then rename.
            return try replace(replacing, replaceable)
        }
        // The file is in place: a second name that stays is no reason to say otherwise.
        try? folder.unlink(place.partialName)
    }

    private func replace(_ replacing: Bool, _ replaceable: FileStatus.Identity?) throws(FileSystemError) {
        if try !hasFinalName(replaceable) {
            guard try mayReplace(replacing: replacing) else { throw alreadyExists }
        }
        try place.folder.rename(place.partialName, to: place.finalName)
    }

    private func hasFinalName(_ known: FileStatus.Identity?) throws(FileSystemError) -> Bool {
        guard let known else { return false }
        return try place.folder.status(of: place.finalName)?.identity == known
    }

    private func mayReplace(replacing: Bool) throws(FileSystemError) -> Bool {
        switch try NameOwner(of: place.finalName, in: place.folder, for: place.origin, on: platform) {
        case .nothing, .own, .stranger(.link): true
        case .another, .blank, .stranger(.regular): replacing
        case .stranger: false
        }
    }

    private var alreadyExists: FileSystemError {
        FileSystemError(.rename, place.finalPath, code: EEXIST)
    }

    /// What only a partial file needs. Should an attribute stay it does no harm; a sidecar is found by `tidy`.
    private func removeTraces(_ stored: StoredRecord) {
        switch stored.medium {
        case .sidecar: try? Sidecar.remove(for: place.partialName, in: place.folder)
        case .attributes where stored.record.durable != nil:
            try? platform.attributes(file.descriptor).remove(RecordField.durable.rawValue)
        case .attributes: break
        }
    }
}
