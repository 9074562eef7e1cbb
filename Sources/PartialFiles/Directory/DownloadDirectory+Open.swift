import Glibc
package import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking

extension DownloadDirectory {
    /// A download's finished file, or its partial file, open and locked.
    package enum Opening: Sendable {
        case finished(StoredFile)
        /// Its file was changed since it was finished, and may not be replaced.
        case changed(StoredFile)
        case partial(PartialFile)
    }

    /// What will prove the file of a download, whatever its source.
    package enum Proof {
        case nothing
        /// A checksum of the whole.
        case checksum
        /// Checksums of pieces. The closure chooses what to keep of a partial file by its bytes, under its lock.
        ///
        /// - Parameters:
        ///   - claimed: which bytes the file has, as far as is known. Some may never have reached the disk.
        ///   - trusted: those that its record proves.
        ///   - total: the recorded size of the whole.
        /// - Returns: all bytes to keep. May have more or less than `trusted`.
        case pieces(
            (
                _ file: OpenFile, _ claimed: FilledRanges, _ trusted: FilledRanges, _ total: Int64?
            ) throws(FileSystemError) -> FilledRanges
        )

        var kind: HeldBytes.Proof {
            switch self {
            case .nothing: .none
            case .checksum: .checksum
            case .pieces: .pieces
            }
        }
    }

    /// Finds the file of a claim, and opens its partial file. A finished file wins over a partial file, and a partial file
    /// over a free name. Makes the folder if needed.
    ///
    /// - Parameters:
    ///   - isOfDocument: whether a document chose the URL. The file remembers it from the start, so that no later run
    ///     sends there what is meant for others.
    ///   - isNew: whether the folder recently had no file of the claim. Then only the best names are checked.
    ///   - isOfMirror: whether to open the second partial file, in which a mirror starts from zero.
    ///   - replaced: the files that have the final name and may be replaced.
    ///   - isTaken: whether another download of this process has that final name. Called last, and only for usable
    ///     names, so it may claim the name. Repeated calls for the same download must then return false again.
    ///   - proof: what will prove the file. Without any, the record decides what to keep of an existing partial file.
    /// - Throws: a `FileSystemError`; of kind `inUse` if another process or download is writing the file,
    ///   `alreadyExists` if no name is free.
    package func open(
        _ claim: FileClaim,
        isOfDocument: Bool,
        isNew: Bool = false,
        isOfMirror: Bool = false,
        replacing replaced: ReplacedFiles = .none,
        isTaken: (_ finalName: FilePath) -> Bool = { _ in false },
        provenBy proof: Proof = .nothing
    ) throws(FileSystemError) -> Opening {
        // Most downloads have no file yet. If anything is in the way, the search below finds and reports it.
        if isNew, !isOfMirror, let file = try makeFile(claim, isOfDocument: isOfDocument, isTaken: isTaken) {
            return .partial(file)
        }
        var turnsLeft = 5
        while true {
            let search = NameSearch(folder: try folder(), origin: claim.origin)
            let locations: [FileLocation]
            switch try find(claim, in: search.folder, replacing: replaced) {
            case .finished(let file): return .finished(file)
            case .changed(let file): return .changed(file)
            case .locations(let found): locations = found
            }
            guard let usual = locations.first(where: { !isTaken($0.finalName) }),
                let location = isOfMirror ? try search.mirrorLocation(beside: usual) : usual
            else {
                throw FileSystemError(.create, search.folder.path(claim.preferred.path), code: EEXIST)
            }
            // Another process may have renamed its partial file since.
            if !location.isPresent, turnsLeft > 0, try search.isTaken(location.finalName, replacing: replaced) {
                turnsLeft -= 1
                continue
            }
            do throws(FileSystemError) {
                let file = try open(
                    location,
                    mayReplace: replaced != .none,
                    isOfDocument: isOfDocument,
                    provenBy: proof
                )
                if replaced != .none { try file.restrictAccess(replacing: file.finalName) }
                return .partial(file)
            } catch  where turnsLeft > 0 {
                // The name, or the folder, is not what it was.
                if error.kind != .changed, try folder() === search.folder { throw error }
                turnsLeft -= 1
            }
        }
    }

    /// Makes the partial file of a claim that recently had no file; `nil` if anything is in the way. Unlike `open`, it does
    /// not wait for another download's lock.
    package func makeFile(
        _ claim: FileClaim,
        isOfDocument: Bool,
        isTaken: (_ finalName: FilePath) -> Bool
    ) throws(FileSystemError) -> PartialFile? {
        let name = claim.preferred
        let location = FileLocation(
            origin: claim.origin,
            searched: name,
            finalName: name.path,
            partialName: name.partial,
            folder: try folder(),
            isPresent: false
        )
        // Check the name on disk after `isTaken`: its former owner may have given it to a file. And the final name last:
        // another process may be renaming its partial file.
        guard !isTaken(location.finalName),
            location.folder.isNothing(named: location.partialName),
            location.folder.isNothing(named: location.finalName)
        else { return nil }
        return try? open(location, isOfDocument: isOfDocument)
    }

    /// A finished file in the place of the partial file of a download that writes nothing. It is closed from the start,
    /// so that nobody can change it.
    package func closedFile(for finished: StoredFile) throws(FileSystemError) -> PartialFile {
        let opened = try open(finished)
        let location = FileLocation(
            origin: finished.origin,
            searched: FileName(safe: finished.name),
            finalName: finished.name,
            partialName: finished.name,
            folder: opened.folder,
            isPresent: true
        )
        let file = PartialFile(
            location: location,
            file: opened,
            naming: .forgone,
            isOfDocument: finished.isOfDocument,
            directory: self
        )
        file.close()
        return file
    }

    /// The best final name that a download may use now; nil if all are taken.
    ///
    /// - Parameters:
    ///   - stated: the name that the response gave.
    ///   - isTaken: as in `open`.
    package func finalName(
        _ claim: FileClaim,
        stated: FileName? = nil,
        isTaken: (_ finalName: FilePath) -> Bool
    ) throws(FileSystemError) -> FilePath? {
        let search = NameSearch(folder: try folder(), origin: claim.origin)
        let given = stated.map { FileNaming.Candidates(stated: $0, origin: claim.origin) }
        return switch try search.result(for: given ?? claim.names) {
        case .finished(let file): file.name
        case .changed: nil
        case .locations(let found): found.first { !isTaken($0.finalName) }?.finalName
        }
    }

    /// Opens the partial file, or makes it: without a name if possible, else locked and signed with its origin.
    ///
    /// - Throws: a `FileSystemError`; of kind `changed` if the location has changed since the search.
    private func open(
        _ location: consuming FileLocation,
        mayReplace: Bool = false,
        isOfDocument: Bool,
        provenBy proof: Proof = .nothing
    ) throws(FileSystemError) -> PartialFile {
        if !location.isPresent, let file = try location.folder.openUnnamed(for: location.partialName) {
            return PartialFile(
                location: location,
                file: file,
                naming: .unnamed,
                mayReplace: mayReplace,
                isOfDocument: isOfDocument,
                directory: self
            )
        }
        let file: OpenFile
        do throws(FileSystemError) {
            file = try location.folder.open(
                location.partialName,
                O_RDWR | (location.isPresent ? 0 : O_CREAT | O_EXCL)
            )
        } catch  where error.code == EEXIST || error.code == ENOENT {
            throw FileSystemError(error.operation, error.path, code: ESTALE)
        }
        try lock(file, for: location.origin)
        let signature = ResumeRecord(origin: location.origin.text, isOfDocument: isOfDocument)
        let (stored, kept): (StoredRecord, FilledRanges)
        if location.isPresent {
            (stored, kept) = try adopt(file, of: location.origin, signature, provenBy: proof)
        } else if let signed = try StoredRecord(signing: file, as: signature) {
            (stored, kept) = (signed, FilledRanges())
        } else {
            // Before we had the lock, another download may have found our file blank, locked it, and even published or
            // deleted it. But then it has signed the file first.
            throw FileSystemError(.open, file.path, code: ESTALE)
        }
        return PartialFile(
            location: location,
            file: file,
            naming: .partial,
            filled: kept,
            stored: stored,
            mayReplace: mayReplace,
            isOfDocument: isOfDocument,
            directory: self
        )
    }

    /// Takes the lock. A listing holds it for an instant, and so does a download that has just made the file and not
    /// yet signed it.
    private func lock(_ file: OpenFile, for origin: HTTPURL) throws(FileSystemError) {
        let isLocked = try file.lockAlone { turn throws(FileSystemError) in
            guard turn >= 5 else { return false }
            let record = try StoredRecord(of: file).record
            if record.origin != nil, !record.isOf(origin) { throw FileSystemError(.open, file.path, code: ESTALE) }
            return record.isOf(origin)
        }
        if !isLocked { throw FileSystemError(.lock, file.path, code: EWOULDBLOCK) }
    }

    /// Checks that an existing file is a partial file of this URL, and truncates it to the bytes that can be trusted.
    ///
    /// - Returns: its record, and those bytes.
    private func adopt(
        _ file: OpenFile,
        of origin: HTTPURL,
        _ signature: ResumeRecord,
        provenBy proof: Proof
    ) throws(FileSystemError) -> (stored: StoredRecord, kept: FilledRanges) {
        // The last owner of the lock may have published or deleted the file.
        guard let status = try file.ownStatus(), status.linkCount == 1,
            try file.isStillNamed(as: status.identity)
        else { throw FileSystemError(.open, file.path, code: ESTALE) }
        var stored = try StoredRecord(of: file)
        if stored.record.origin == nil {
            guard status.size == 0 else { throw FileSystemError(.open, file.path, code: ESTALE) }
            try stored.update(to: signature, of: file)
        }
        guard stored.record.isOf(origin) else { throw FileSystemError(.open, file.path, code: ESTALE) }

        var own = stored.record
        // From now on, the lock shows the owner.
        (own.owner, own.isOfDocument) = (nil, signature.isOfDocument)
        try stored.update(to: own, of: file)
        let isSpoiled = platform.process.spoiledFiles.withLock { $0.contains(status.identity) }
        var kept = stored.record.trusted(
            of: status.size,
            under: isSpoiled ? nil : platform.boot,
            proof: proof.kind
        )
        if case .pieces(let choose) = proof {
            let claimed = (stored.record.filled ?? FilledRanges(upTo: status.size)).prefix(status.size)
            var proven = try choose(file, claimed, kept, stored.record.total)
                .prefix(min(status.size, stored.record.total ?? .max))
            // Without the total, bytes behind a gap are useless.
            if stored.record.total == nil { proven = FilledRanges(upTo: proven.front) }
            // Bytes of a failed sync may agree, and never reach the disk.
            kept = isSpoiled ? proven.intersection(kept) : proven
        }
        try stored.cut(file, to: kept, isLonger: kept.end < status.size)
        if isSpoiled { platform.process.spoiledFiles.withLock { _ = $0.remove(status.identity) } }
        return (stored, kept)
    }
}
