import FileSystemCalls
import HTTPResumption
import Metalinks

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
        return start..<min(size, start + pieces.length)
    }

    /// The pieces that have bytes in a range of the file.
    func touching(_ range: Range<Int64>) -> Range<Int> {
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

    /// The bytes of all pieces in these ranges that agree; `nil` once `goesOn` is false.
    func agreeing(
        in ranges: FilledRanges,
        of file: OpenFile,
        while goesOn: () -> Bool
    ) throws(FileSystemError) -> FilledRanges? {
        file.readsInOrder()
        var (whole, next) = (FilledRanges(), 0)
        // Two ranges may have parts of one piece.
        for piece in ranges.ranges.lazy.flatMap({ touching($0) }) where piece >= next {
            guard let agrees = try agrees(piece, in: file, while: goesOn) else { return nil }
            if agrees { whole.insert(range(of: piece)) }
            next = piece + 1
        }
        return whole
    }

    /// A piece for people, counted from 1.
    func name(of piece: Int) -> String {
        let range = range(of: piece)
        return "piece \(piece + 1) of \(count) (bytes \(range.lowerBound) to \(range.upperBound - 1))"
    }
}
