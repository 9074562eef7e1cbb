import FileSystemCalls
import HTTPResumption
import Locking
import PartialFiles

/// A file whose pieces have checksums: each is checked when it is filled, and those of a damaged file that agree need not
/// be fetched again.
extension Attempt {
    /// The pieces of the wanted file, if it has any.
    var pieces: FilePieces? {
        download.enqueuedRequest.metalink.flatMap { FilePieces($0, manager.validConfiguration.digests) }
    }

    /// What will prove the file.
    var proof: DownloadDirectory.Proof {
        guard let pieces else { return download.enqueuedRequest.checksum == nil ? .nothing : .checksum }
        return .pieces { (file, claimed, trusted, total) throws(FileSystemError) in
            // A part of another version, whose pieces may be elsewhere.
            if let total, total != pieces.size { return FilledRanges() }
            var (kept, doubtful) = (trusted, claimed)
            for range in trusted.ranges { doubtful.remove(range) }
            // Those that are trusted are read while the rest comes.
            let agreeing = try pieces.agreeing(in: doubtful, of: file) { !self.isStopping } ?? FilledRanges()
            for range in agreeing.ranges { kept.insert(range) }
            return kept
        }
    }

    // MARK: While they come

    /// Reads pieces that are filled.
    func read(_ due: [Int], _ reader: PieceReader, _ file: PartialFile) {
        reader.read(due) {
            !self.isStopping
        } _: { piece, result in
            self.handle(file) { $0.read(piece, result) }
        }
    }

    /// The file is complete. Waits until all its pieces have been read.
    func settle(_ reader: PieceReader, _ file: PartialFile, size: Int64) {
        reader.settle { isStale in
            let fresh = isStale ? PieceReader(reader.pieces, of: file) : nil
            let actions = self.control.withLock { $0.machine.settled(size: size, fresh, file.filled) }
            if let actions { self.perform(actions, file) } else { self.checkWhole(file, size: size) }
        }
    }

    /// After a piece that differs, what is not proven goes.
    func keepProven(_ file: PartialFile) {
        guard let pieces = control.withLock({ $0.machine.pieces }), pieces.fault != nil else { return }
        // If it stays, the next attempt reads it again.
        try? file.keep(only: pieces.kept(file.filled))
    }

    // MARK: Of a damaged file

    /// Which bytes of a finished file are right; `nil` if all are, or if the attempt was cancelled.
    func rightBytes(of file: StoredFile) throws(FileSystemError) -> FilledRanges? {
        let (opened, whole) = (try directory.open(file), FilledRanges(upTo: file.size))
        var right = FilledRanges()
        if let pieces, pieces.size == file.size {
            guard let agreeing = try pieces.agreeing(in: whole, of: opened, while: { !isStopping }) else { return nil }
            guard agreeing == whole else { return agreeing }
            right = whole
        }
        guard let expected = download.enqueuedRequest.checksum else { return right == whole ? nil : right }
        let found = try manager.validConfiguration.digests
            .checksum(expected.algorithm, of: opened, size: file.size) { !self.isStopping }
        // All pieces agree, but the file does not: which of them are wrong is not known.
        return found == expected || isStopping ? nil : FilledRanges()
    }

    /// Begins the partial file with bytes of a damaged file. The attempt then resumes it as any other.
    func keep(_ right: FilledRanges, of damaged: StoredFile) throws(FileSystemError) {
        if right.isEmpty || beginsAnew { return }
        let opening = try directory.open(
            for: request.url,
            naming: request.naming,
            replacing: .own,
            isTaken: isTaken,
            provenBy: proof
        )
        guard case .partial(let file) = opening else { return }
        // The attempt opens it again, with the record of what it has then.
        defer { file.close() }
        // Those of an earlier attempt are there already.
        guard file.filled.isEmpty else { return }
        let (source, entity) = (try directory.open(damaged), damaged.entity)
        try file.begin(total: damaged.size, validator: entity?.validator, encoding: entity?.encoding)
        guard try file.allowGaps() else { return }
        try file.take(right, from: source) { !isStopping }
        _ = file.keep()
    }
}
