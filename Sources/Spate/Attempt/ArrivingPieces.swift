import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax

/// The pieces of a file that is being fetched: which are being read, and which are proven. A part of a machine, but
/// elsewhere in memory: most files have none.
final class ArrivingPieces {
    /// Why the attempt cannot go on.
    enum Fault {
        /// - Parameter isBlamed: whether its source sent all of it, at the address that its name leads to.
        case differs(Int, isBlamed: Bool)
        /// Two responses differ where they meet.
        ///
        /// - Parameter isBlamed: whether what the source contradicts is proven.
        case mixed(isBlamed: Bool)
        case unreadable(FileSystemError)
    }

    private(set) var reader: PieceReader
    /// The bytes from before the attempt. Its source is not to blame for those.
    private let found: FilledRanges
    /// The pieces that were given to the reader.
    private var due: FilledRanges
    private(set) var proven: FilledRanges
    private(set) var fault: Fault?
    /// The host of which an address was chosen. The others may serve the right file.
    var chosenHost: HTTPOrigin?

    init(_ reader: PieceReader, found: FilledRanges, proven: FilledRanges) {
        (self.reader, self.found, due, self.proven) = (reader, found, proven, proven)
    }

    var pieces: FilePieces { reader.pieces }

    /// Whether the whole file is proven.
    var areProven: Bool { fault == nil && proven == FilledRanges(upTo: pieces.size) }

    /// The pieces to read now, since a range was filled.
    func take(filledIn range: Range<Int64>, _ filled: FilledRanges) -> [Int] {
        var new: [Int] = []
        for piece in pieces.touching(range) {
            let range = pieces.range(of: piece)
            guard filled.firstGap(in: range) == nil, due.firstGap(in: range) != nil else { continue }
            due.insert(range)
            new.append(piece)
        }
        return new
    }

    /// The pieces of the whole file that are still to be read.
    func takeAll(_ filled: FilledRanges) -> [Int] {
        filled.ranges.flatMap { take(filledIn: $0, filled) }
    }

    /// A piece was read. Returns whether this is the first fault.
    func note(_ piece: Int, _ result: Result<Bool, FileSystemError>) -> Bool {
        let range = pieces.range(of: piece)
        let new: Fault
        switch result {
        case .success(true):
            proven.insert(range)
            return false
        case .success(false):
            new = .differs(piece, isBlamed: chosenHost == nil && found.gaps(in: range) == [range])
        case .failure(let error): new = .unreadable(error)
        }
        if fault != nil { return false }
        fault = new
        return true
    }

    /// The bytes of two responses differ.
    func doubt() {
        if fault == nil { fault = .mixed(isBlamed: found.isPart(of: proven)) }
    }

    /// The bytes to keep after a fault; `nil` without one. What is not proven may be of the same source, or be what made
    /// the piece differ.
    func kept(_ filled: FilledRanges) -> FilledRanges? { fault == nil ? nil : proven.intersection(filled) }

    /// Bytes were written twice: everything is read again.
    func startOver(_ reader: PieceReader) {
        (self.reader, due, proven) = (reader, FilledRanges(), FilledRanges())
    }
}
