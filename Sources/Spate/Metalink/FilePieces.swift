import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpateMetalinks
import SpateTiming

/// The pieces of a file of known size, and the checksums by which each can be proven alone.
struct FilePieces: Sendable {
    let size: Int64
    let algorithm: Checksum.Algorithm
    private let pieces: MetalinkPieces
    private let library: DigestLibrary

    /// `nil` if the file's size is unknown, or if it has no checksums of pieces that this machine computes.
    init?(_ file: Metalink.File, _ library: DigestLibrary) {
        guard let size = file.size, size > 0, let pieces = file.pieces, pieces.length > 0,
            let algorithm = Checksum.Algorithm(rawValue: pieces.algorithm.rawValue), library.computes(algorithm)
        else { return nil }
        (self.size, self.pieces, self.algorithm, self.library) = (size, pieces, algorithm, library)
    }

    var count: Int { pieces.count }

    func range(of piece: Int) -> Range<Int64> {
        let start = Int64(piece) * pieces.length
        // Their sum may be too large.
        return start..<start + min(pieces.length, size - start)
    }

    /// The pieces that have bytes in a range. A part of another version may be longer than the file.
    func touching(_ range: Range<Int64>) -> Range<Int> {
        let range = range.clamped(to: 0..<size)
        if range.isEmpty { return 0..<0 }
        return Int(range.lowerBound / pieces.length)..<min(count, Int((range.upperBound - 1) / pieces.length) + 1)
    }

    /// Whether a piece agrees with its checksum; `nil` once `goesOn` is false.
    func agrees(_ piece: Int, in file: OpenFile, while goesOn: () -> Bool) throws(FileSystemError) -> Bool? {
        guard var digest = library.digest(algorithm), try digest.read(file, range(of: piece), while: goesOn) else {
            return nil
        }
        return digest.finish()?.elementsEqual(pieces.digest(of: piece)) ?? false
    }

    /// So many threads read pieces at once.
    private static let readers = 4

    /// The bytes of all pieces in these ranges that agree; `nil` once `goesOn` is false.
    func agreeing(
        in ranges: FilledRanges,
        of file: OpenFile,
        while goesOn: @Sendable () -> Bool
    ) throws(FileSystemError) -> FilledRanges? {
        var due: [Int] = []
        // Two ranges may have parts of one piece.
        for piece in ranges.ranges.lazy.flatMap({ touching($0) }) where piece != due.last { due.append(piece) }
        file.readsInOrder()
        let outcome = Locked((agreeing: FilledRanges(), isOver: false, failure: FileSystemError?.none))
        file.folder.platform.runtime.inParallel(min(Self.readers, due.count)) { [due] reader in
            for piece in stride(from: reader, to: due.count, by: Self.readers).lazy.map({ due[$0] }) {
                let found = Result { () throws(FileSystemError) in try agrees(piece, in: file, while: goesOn) }
                let isOver = outcome.withLock { outcome in
                    switch found {
                    case .success(true?): outcome.agreeing.insert(range(of: piece))
                    case .success(false?): break
                    case .success(nil): outcome.isOver = true
                    case .failure(let error): (outcome.isOver, outcome.failure) = (true, error)
                    }
                    return outcome.isOver
                }
                if isOver { return }
            }
        }
        let (agreeing, isOver, failure) = outcome.withLock(\.self)
        if let failure { throw failure }
        return isOver ? nil : agreeing
    }

    /// A piece for people, counted from 1.
    func name(of piece: Int) -> String {
        let range = range(of: piece)
        return "piece \(piece + 1) of \(count) (bytes \(range.lowerBound) to \(range.upperBound - 1))"
    }
}
