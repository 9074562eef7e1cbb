import SpateFileSystemCalls
import SpateHTTPResumption

/// Checks the pieces of a file while they arrive. A piece that differs ends the attempt: the file keeps what is proven,
/// and the next attempt fetches the rest, from another source if this one has sent the piece.
extension FetchMachine {
    /// The file has pieces with checksums.
    ///
    /// - Parameters:
    ///   - found: the bytes from before the attempt.
    ///   - proven: those of them that need not be read again.
    mutating func expect(_ reader: PieceReader, found: FilledRanges, proven: FilledRanges) -> [Action] {
        pieces = ArrivingPieces(reader, found: found, proven: proven)
        return readPieces { $0.takeAll(found) }
    }

    /// Reads the pieces that are due.
    func readPieces(_ take: (ArrivingPieces) -> [Int]) -> [Action] {
        guard let pieces else { return [] }
        let due = take(pieces)
        return due.isEmpty ? [] : [.read(pieces.reader, due)]
    }

    /// A piece was read.
    mutating func read(_ piece: Int, _ result: Result<Bool, FileSystemError>) -> [Action] {
        guard pieces?.note(piece, result) ?? false, let failure = pieceFailure else { return [] }
        let distrust: [Action] = pieces?.chosenHost.map { [.distrust($0)] } ?? []
        return distrust + (division == nil ? transfers.map { .cancel($0) } : stop(because: .end(failure)))
    }

    /// All pieces that were due have been read, and all connections have ended. Returns `nil` if the file is proven.
    ///
    /// - Parameters:
    ///   - size: of the complete file.
    ///   - reader: a new one, if bytes may have changed since they were read.
    mutating func settled(size: Int64, _ reader: PieceReader?, _ filled: FilledRanges) -> [Action]? {
        if isStopping { return [.end(.cancelled)] }
        if let end = pieceEnd { return [.end(end)] }
        if let reader { pieces?.startOver(reader) }
        let reading = readPieces { $0.takeAll(filled) }
        if !reading.isEmpty { return reading + [.publish(size: size)] }
        return pieces?.areProven ?? true ? nil : [.end(.failed(FetchFailure(.changedMeanwhile)))]
    }

    /// How the pieces end the attempt, if they do. Small, unlike the failure: it is asked for at each request.
    var pieceEnd: AttemptEnd? { pieces?.fault == nil ? nil : pieceFailure.map { .failed($0) } }

    /// Why the pieces end the attempt, if they do.
    var pieceFailure: FetchFailure? {
        guard let pieces, let fault = pieces.fault else { return nil }
        let elsewhere = first.route.elsewhere
        switch fault {
        case .differs(let piece, let isBlamed):
            var error = DownloadError.otherPiece(pieces.pieces, piece, at: elsewhere)
            error.isRetryable = !isBlamed
            return FetchFailure(error)
        case .mixed(isBlamed: true):
            return FetchFailure(DownloadError(ResponseFault(.otherSource(.overlapDiffers)), at: elsewhere))
        case .mixed(isBlamed: false): return FetchFailure(.changedMeanwhile)
        case .unreadable(let error): return FetchFailure(DownloadError(error))
        }
    }
}
