import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles

/// What is right of a file.
struct RightBytes {
    let ranges: FilledRanges
    let file: OpenFile
    /// What the file was when it was finished, if that is known.
    var entity: FinishedEntity?
}

/// A damaged file: what of it is right is kept, and only the rest is fetched.
extension Attempt {
    /// Keeps what is right of a file that any program may have made.
    ///
    /// - Parameter file: the file that is there.
    func repair(_ file: StoredFile?, _ repair: DownloadRequest.Repair) throws(FileSystemError) {
        let wanted = download.wanted
        let verdict = wanted.verdict(on: file)
        if verdict == .refuse { return fail(with: .nothingToRepairBy) }
        if let file { control.withLock { $0.finished = file } }
        // An earlier attempt has begun the partial file with what is right.
        if number > 1, try directory.partialFile(request.claim) != nil { return open(replacing: verdict.replaced) }
        var sources: [RightBytes] = []
        if let file, case .read = verdict {
            guard let right = try rightBytes(of: file) else { return end(with: file, update: .unchanged) }
            sources.append(RightBytes(ranges: right, file: try directory.open(file), entity: file.entity))
        }
        if let other = repair.source { sources.append(try rightBytes(of: other)) }
        open(replacing: verdict.replaced, with: sources)
    }

    /// Which bytes of a file are right; `nil` if all are, or if the attempt was cancelled.
    func rightBytes(of file: StoredFile) throws(FileSystemError) -> FilledRanges? {
        let opened = try directory.open(file)
        if let pieces {
            let whole = FilledRanges(upTo: pieces.size)
            guard let right = try rightBytes(of: pieces, in: opened, file.size) else { return nil }
            guard right == whole, file.size == pieces.size else { return right }
        }
        // It is another file than the wanted one, whatever else is known of it.
        guard download.wanted.accepts(size: file.size) else { return FilledRanges() }
        guard let expected = download.wanted.checksum else {
            keepProof(of: file, opened)
            return nil
        }
        let found = try manager.validConfiguration.digests
            .checksum(expected.algorithm, of: opened, size: file.size) { !self.isStopping }
        if found == expected { keepProof(of: file, opened) }
        // If all pieces agree, which of them are wrong is not known.
        return found == expected || isStopping ? nil : FilledRanges()
    }

    /// All bytes of a file are right. If nothing else said so, its record does from now on.
    private func keepProof(of file: StoredFile, _ opened: OpenFile) {
        guard file.isStranger || file.isChanged else { return }
        directory.keepProof(
            of: opened,
            for: request.url,
            checksum: download.wanted.checksum?.description,
            isOfDocument: download.request.isChosenByDocument
        )
    }

    /// Which bytes of another file are those of the wanted one. None without checksums of pieces.
    private func rightBytes(of other: URL) throws(FileSystemError) -> RightBytes {
        let path = FilePath(other.standardizedFileURL.path)
        let folder = try OpenFolder(path: path.parent ?? "/", on: directory.platform)
        let file = try folder.open(path.lastName, O_RDONLY, followsLinks: true)
        let status = try file.status()
        guard status.kind == .regular else { throw FileSystemError(.open, path, code: EISDIR) }
        let right = try pieces.flatMap { pieces throws(FileSystemError) in
            try rightBytes(of: pieces, in: file, status.size)
        }
        return RightBytes(ranges: right ?? FilledRanges(), file: file)
    }

    private func rightBytes(
        of pieces: FilePieces,
        in file: OpenFile,
        _ size: Int64
    ) throws(FileSystemError) -> FilledRanges? {
        try pieces.agreeing(in: FilledRanges(upTo: min(size, pieces.size)), of: file) { !isStopping }
    }

    /// Begins the partial file with right bytes of other files. It is then resumed as any other.
    ///
    /// - Returns: the bytes of them that need not be read again.
    func begin(_ file: PartialFile, with sources: [RightBytes]) throws(FileSystemError) -> FilledRanges {
        guard !beginsAnew, let size = pieces?.size, sources.contains(where: { !$0.ranges.isEmpty }) else {
            return FilledRanges()
        }
        let (before, entity) = (file.filled, sources.first?.entity)
        try file.begin(
            total: size,
            validator: entity?.validator,
            encoding: entity?.encoding,
            // Without the file's own validator, only the pieces prove that they belong together.
            isJoined: !before.isEmpty || sources.count > 1 || entity?.validator?.strong == nil
        )
        guard try file.allowGaps() else { return FilledRanges() }
        for source in sources { try file.take(source.ranges, from: source.file) { !isStopping } }
        _ = file.keep()
        // Somebody may have written to the files meanwhile. The checksum of the whole shows it, if there is one.
        if download.wanted.checksum == nil { return FilledRanges() }
        var taken = file.filled
        for range in before.ranges { taken.remove(range) }
        return taken
    }
}
