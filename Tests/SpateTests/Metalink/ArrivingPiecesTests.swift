import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// Who is to blame for a piece that differs, and what is kept.
@Suite struct ArrivingPiecesTests {
    private let folder: TemporaryFolder
    private let pieces: FilePieces
    private let reader: PieceReader

    init() throws {
        folder = try TemporaryFolder()
        let opening = try DownloadDirectory(path: FilePath(folder.path)).open(
            FileClaim(HTTPURL("http://h/f"), in: FilePath(folder.path), naming: .derived),
            isOfDocument: false
        )
        guard case .partial(let file) = opening else { throw SystemError("open") }
        pieces = try #require(FilePieces(try PiecedFile.metalink([]), .libcrypto))
        reader = PieceReader(pieces, of: file)
    }

    private func arriving(found: FilledRanges = FilledRanges(), proven: FilledRanges = FilledRanges()) -> ArrivingPieces
    {
        ArrivingPieces(reader, found: found, proven: proven)
    }

    private func blames(_ arriving: ArrivingPieces, piece: Int) -> Bool? {
        guard arriving.note(piece, .success(false)), case .differs(piece, let isBlamed) = arriving.fault else {
            return nil
        }
        return isBlamed
    }

    @Test func aSourceIsBlamedForWhatItSentAlone() throws {
        #expect(blames(arriving(), piece: 2) == true)
        let length = Int64(PiecedFile.pieceLength)
        #expect(blames(arriving(found: FilledRanges(upTo: 2 * length)), piece: 2) == true)
        #expect(blames(arriving(found: FilledRanges(upTo: 2 * length + 1)), piece: 2) == false)
        // Another address of its host may serve the right file.
        let chosen = arriving()
        chosen.chosenHost = try HTTPURL("http://h/f").origin
        #expect(blames(chosen, piece: 2) == false)
    }

    /// A part may be of another, longer version.
    @Test func beyondTheFileThereAreNoPieces() {
        let (size, length) = (pieces.size, Int64(PiecedFile.pieceLength))
        #expect(pieces.touching(size - 1..<size + 5 * length) == 10..<11)
        #expect(pieces.touching(size..<size + 1).isEmpty)
        #expect(pieces.touching(size + 2 * length..<size + 3 * length).isEmpty)
    }

    @Test func onlyTheFirstFaultCounts() {
        let arriving = arriving()
        #expect(blames(arriving, piece: 2) == true)
        #expect(!arriving.note(3, .success(false)))
        arriving.doubt()
        guard case .differs(2, _) = arriving.fault else { return #expect(Bool(false), "\(arriving)") }
    }

    /// Each piece is read once, when all of it is there.
    @Test func aPieceIsDueOnce() {
        let (arriving, length) = (arriving(), Int64(PiecedFile.pieceLength))
        var filled = FilledRanges(upTo: length - 1)
        #expect(arriving.take(filledIn: 0..<length - 1, filled).isEmpty)
        filled.insert(length - 1..<2 * length)
        #expect(arriving.take(filledIn: length - 1..<2 * length, filled) == [0, 1])
        #expect(arriving.take(filledIn: 0..<2 * length, filled).isEmpty)
        // The last piece is shorter.
        filled.insert(10 * length..<pieces.size)
        #expect(arriving.takeAll(filled) == [10])
        #expect(self.arriving(proven: FilledRanges(upTo: length)).takeAll(filled) == [1, 10])
    }

    @Test func whatIsProvenIsKept() {
        let (arriving, length) = (arriving(), Int64(PiecedFile.pieceLength))
        let filled = FilledRanges(upTo: 3 * length + 5)
        #expect(arriving.kept(filled) == nil)
        #expect(!arriving.note(0, .success(true)) && !arriving.note(2, .success(true)))
        #expect(arriving.note(1, .success(false)))
        #expect(arriving.kept(filled)?.ranges == [0..<length, 2 * length..<3 * length])
        #expect(!arriving.areProven)
    }

    /// Responses that differ from what is proven are wrong. Others may be right.
    @Test(arguments: [true, false]) func responsesThatDiffer(isProven: Bool) {
        let found = FilledRanges(upTo: Int64(PiecedFile.pieceLength))
        let arriving = arriving(found: found, proven: isProven ? found : FilledRanges())
        arriving.doubt()
        guard case .mixed(isProven) = arriving.fault else { return #expect(Bool(false), "\(arriving)") }
    }
}
