import Glibc
package import HTTPResumption

extension DownloadDirectory {
    /// What a download finds, with its partial file open and locked where there is one to write.
    package enum Opening: Sendable {
        case finished(FinishedFile)
        case partial(PartialFile)
    }

    /// Finds the place of a download and opens its partial file, again where somebody else got there in between.
    ///
    /// - Throws: a `FileSystemError`, of kind `inUse` where another process or download is writing the file.
    /// - SeeAlso: `place(for:naming:replacesExisting:isTaken:)`
    package func open(
        for origin: HTTPURL,
        naming: FileNaming,
        replacesExisting: Bool = false,
        isTaken: (_ finalName: String) -> Bool = { _ in false }
    ) throws(FileSystemError) -> Opening {
        var turnsLeft = 5
        while true {
            let placement = try place(
                for: origin,
                naming: naming,
                replacesExisting: replacesExisting,
                isTaken: isTaken
            )
            do throws(FileSystemError) {
                switch placement {
                case .finished(let file): return .finished(file)
                case .partial(let place): return .partial(try open(place))
                }
            } catch  where error.kind == .changed && turnsLeft > 0 {
                turnsLeft -= 1
            }
        }
    }

    /// Opens and locks the partial file of a place.
    ///
    /// - Throws: a `FileSystemError`; of kind `changed` where the place is no longer what it was, so that another one
    ///   must be found.
    package func open(_ place: Place) throws(FileSystemError) -> PartialFile {
        let file = try openFile(place)
        try lock(file, place)
        let status = try file.status()
        guard status.kind == .regular else { throw FileSystemError(.open, file.path, code: ELOOP) }
        // Who had the lock before may have published the file or deleted it.
        guard status.linkCount == 1, try file.isStillNamed(as: status.identity) else {
            throw FileSystemError(.open, file.path, code: ESTALE)
        }
        var stored = place.isPresent ? StoredRecord(of: file, on: platform) : StoredRecord()
        try adopt(file, status, &stored, place.origin)
        return PartialFile(place: place, file: file, identity: status.identity, stored: stored, directory: self)
    }

    private func openFile(_ place: Place) throws(FileSystemError) -> OpenFile {
        do throws(FileSystemError) {
            return try place.folder.open(place.partialName, O_RDWR | (place.isPresent ? 0 : O_CREAT | O_EXCL))
        } catch {
            // It came or went since the place was found; or the folder did.
            guard error.code == EEXIST || error.code == ENOENT else { throw error }
            throw FileSystemError(error.operation, error.path, code: ESTALE)
        }
    }

    /// Makes sure that the record is of `origin`, and that every byte in the file may be trusted.
    private func adopt(
        _ file: OpenFile,
        _ status: FileStatus,
        _ stored: inout StoredRecord,
        _ origin: HTTPURL
    ) throws(FileSystemError) {
        if stored.record.origin == nil {
            guard status.size == 0 else { throw FileSystemError(.open, file.path, code: ESTALE) }
            try stored.update(to: ResumeRecord(origin: origin.text), of: file, on: platform)
            return
        }
        guard stored.record.isOf(origin) else { throw FileSystemError(.open, file.path, code: ESTALE) }
        let mark = stored.record.durable
        let trusted = mark?.trustedLength(of: status.size, under: platform.boot) ?? 0
        if let mark, trusted < mark.offset {
            // The mark promises what is not there. It goes down before anything is written under it.
            var wanted = stored.record
            wanted.durable = DurableMark(offset: trusted, boot: platform.boot)
            try stored.update(to: wanted, of: file, on: platform, durably: true)
        }
        if trusted < status.size { try file.resize(to: trusted) }
    }

    /// Takes the lock. Somebody who only looks holds it for an instant, and somebody who has just made the file has
    /// not yet said whose it is: so a few tries, and a hundred milliseconds at the most.
    private func lock(_ file: OpenFile, _ place: Place) throws(FileSystemError) {
        for turn in 0..<50 {
            if try file.lock(LOCK_EX) { return }
            if turn >= 5 {
                let record = StoredRecord(of: file, on: platform).record
                if record.isOf(place.origin) { break }
                if record.origin != nil { throw FileSystemError(.open, file.path, code: ESTALE) }
            }
            usleep(2_000)
        }
        throw FileSystemError(.lock, file.path, code: EWOULDBLOCK)
    }
}
