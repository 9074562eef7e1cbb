import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTiming

/// Reads the pieces of a file that is being fetched, and says whether each agrees with its checksum. Its own queue reads
/// them behind the writers, while they are still in memory.
final class PieceReader: Sendable {
    let pieces: FilePieces
    private let file: PartialFile
    private let queue: SerialQueue
    /// The file's change count when the reading began.
    private let changes: Int

    init(_ pieces: FilePieces, of file: PartialFile) {
        (self.pieces, self.file, changes) = (pieces, file, file.changes)
        queue = file.runtime.makeQueue("spate.pieces")
    }

    /// Reads filled pieces, in order. Quick: writers may call it.
    ///
    /// - Parameter found: called for each piece, unless `goesOn` became false.
    func read(
        _ due: [Int],
        while goesOn: @escaping @Sendable () -> Bool,
        _ found: @escaping @Sendable (_ piece: Int, Result<Bool, FileSystemError>) -> Void
    ) {
        queue.async { [self] in
            for piece in due {
                let result = Result { () throws(FileSystemError) in
                    try pieces.agrees(piece, in: file.file, while: goesOn)
                }
                switch result {
                case .success(let agrees?): found(piece, .success(agrees))
                case .success(nil): return
                case .failure(let error): found(piece, .failure(error))
                }
            }
        }
    }

    /// Calls `body` once everything that is due has been read.
    ///
    /// - Parameter body: gets whether bytes may have changed since, so that all must be read again.
    func settle(_ body: @escaping @Sendable (_ isStale: Bool) -> Void) {
        queue.async { [self] in body(changes != file.changes) }
    }
}
