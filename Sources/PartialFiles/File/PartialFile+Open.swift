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
        // Most downloads have nothing here yet. Whatever speaks against that is looked at, and told, below.
        if let place = try emptyPlace(for: origin, naming: naming), !isTaken(place.finalName),
            let file = try? open(place)
        {
            return .partial(file)
        }
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
    package func open(_ place: FileLocation) throws(FileSystemError) -> PartialFile {
        let file = try openFile(place)
        try lock(file, place)
        return place.isPresent ? try adopt(file, place) : try sign(file, place)
    }

    private func openFile(_ place: FileLocation) throws(FileSystemError) -> OpenFile {
        do throws(FileSystemError) {
            return try place.folder.open(place.partialName, O_RDWR | (place.isPresent ? 0 : O_CREAT | O_EXCL))
        } catch {
            // It came or went since the place was found; or the folder did.
            guard error.code == EEXIST || error.code == ENOENT else { throw error }
            throw FileSystemError(error.operation, error.path, code: ESTALE)
        }
    }

    /// Says whose the file is that was made here a moment ago.
    ///
    /// Between making and locking it somebody else may have found it blank, locked it first, and even published or
    /// deleted it since. But then they have signed it, for that is what everybody does first under the lock.
    private func sign(_ file: OpenFile, _ place: FileLocation) throws(FileSystemError) -> PartialFile {
        var stored = StoredRecord()
        guard try stored.sign(place.origin.text, file, on: platform) else {
            throw FileSystemError(.open, file.path, code: ESTALE)
        }
        return PartialFile(place: place, file: file, length: 0, stored: stored, directory: self)
    }

    /// Makes sure that a file that was there already is a partial file of this download, and that every byte in it may
    /// be trusted.
    private func adopt(_ file: OpenFile, _ place: FileLocation) throws(FileSystemError) -> PartialFile {
        let status = try file.status()
        guard status.kind == .regular else { throw FileSystemError(.open, file.path, code: ELOOP) }
        // Who had the lock before may have published the file or deleted it.
        guard status.linkCount == 1, try file.isStillNamed(as: status.identity) else {
            throw FileSystemError(.open, file.path, code: ESTALE)
        }
        var stored = StoredRecord(of: file, on: platform)
        if stored.record.origin == nil {
            guard status.size == 0 else { throw FileSystemError(.open, file.path, code: ESTALE) }
            try stored.update(to: ResumeRecord(origin: place.origin.text), of: file, on: platform)
        }
        guard stored.record.isOf(place.origin) else { throw FileSystemError(.open, file.path, code: ESTALE) }
        let length = try cut(file, &stored, size: status.size)
        return PartialFile(place: place, file: file, length: length, stored: stored, directory: self)
    }

    /// Cuts off what may not be trusted, and returns how much is left.
    private func cut(_ file: OpenFile, _ stored: inout StoredRecord, size: Int64) throws(FileSystemError) -> Int64 {
        let mark = stored.record.durable
        let trusted = mark?.trustedLength(of: size, under: platform.boot) ?? 0
        if let mark, trusted < mark.offset {
            // The mark promises what is not there. It goes down before anything is written under it.
            var wanted = stored.record
            wanted.durable = DurableMark(offset: trusted, boot: platform.boot)
            try stored.update(to: wanted, of: file, on: platform, durably: true)
        }
        if trusted < size { try file.resize(to: trusted) }
        return trusted
    }

    /// Takes the lock. Somebody who only looks holds it for an instant, and somebody who has just made the file has
    /// not yet said whose it is: so a few tries, and a hundred milliseconds at the most.
    private func lock(_ file: OpenFile, _ place: FileLocation) throws(FileSystemError) {
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
