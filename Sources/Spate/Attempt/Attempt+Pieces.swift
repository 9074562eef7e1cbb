import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles

/// A file whose pieces have checksums: each is checked when it is filled.
extension Attempt {
    /// The pieces of the wanted file, if it has any.
    var pieces: FilePieces? { pieces(of: download.wanted) }

    func pieces(of wanted: borrowing WantedFile) -> FilePieces? {
        wanted.pieced.flatMap { FilePieces($0, manager.validConfiguration.digests) }
    }

    /// What will prove the file.
    var proof: DownloadDirectory.Proof {
        guard let pieces else { return download.wanted.checksum == nil ? .nothing : .checksum }
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
        guard let kept = control.withLock({ $0.machine.pieces?.kept(file.filled) }) else { return }
        // If it stays, the next attempt reads it again.
        try? file.keep(only: kept)
    }
}
