import SpateMetalinks
import Testing

@Suite struct MetalinkPiecesTests {
    private static let (a, b, c) = (
        String(repeating: "aa", count: 16), String(repeating: "bb", count: 16), String(repeating: "cc", count: 16)
    )

    private static func pieces(_ digests: [String], type: String = "md5", length: String = "10") -> String {
        "<pieces type='\(type)' length='\(length)'>\(digests.map { "<hash>\($0)</hash>" }.joined())</pieces>"
    }

    private static func numbered(_ digests: [(String, String)]) -> String {
        "<pieces type='md5' length='10'>\(digests.map { "<hash piece='\($0)'>\($1)</hash>" }.joined())</pieces>"
    }

    @Test(
        arguments: [
            ("20", pieces([a, b]), [a, b]), ("11", pieces([a, b]), [a, b]), ("10", pieces([a]), [a]),
            ("1", pieces([a]), [a]),
            ("9223372036854775807", pieces([a], length: "9223372036854775807"), [a]),
            ("20", pieces([" \(a.uppercased())\n", b]), [a, b]),
            (
                "20", "<pieces type='md5' length='10'><x><hash/></x><hash>\(a)</hash>\n<hash>\(b)</hash></pieces>",
                [a, b]
            ),
        ] as [(String, String, [String])]
    )
    func piecesThatFitTheSizeAreRead(size: String, element: String, expected: [String]) throws {
        // The size may come later.
        for elements in ["<size>\(size)</size>\(element)", "\(element)<size>\(size)</size>"] {
            let file = try MetalinkFile(four: elements)
            let pieces = try #require(file.pieces)
            #expect(pieces.algorithm == .md5 && pieces.count == expected.count && file.remarks.isEmpty)
            #expect((0..<pieces.count).map { pieces.digest(of: $0).hexadecimal } == expected)
        }
    }

    @Test(
        arguments: [
            ("10", pieces([a, b]), .wrongCount), ("21", pieces([a, b]), .wrongCount), ("0", pieces([a]), .wrongCount),
            ("0", pieces([]), .wrongCount), ("10", pieces([]), .wrongCount),
            ("9223372036854775807", pieces([a]), .wrongCount),
            ("10", pieces([a], length: "0"), .invalidLength), ("10", pieces([a], length: ""), .invalidLength),
            ("10", pieces([a], length: "-10"), .invalidLength),
            ("10", pieces([a], length: "9223372036854775808"), .invalidLength),
            ("10", "<pieces type='md5'><hash>\(a)</hash></pieces>", .invalidLength),
            ("20", pieces([a, String(b.dropLast())]), .invalidDigest), ("20", pieces([a, b + "0"]), .invalidDigest),
            ("20", pieces([a, b.dropLast() + "x"]), .invalidDigest), ("20", pieces([a, ""]), .invalidDigest),
            ("10", pieces([a], type: "sha-1"), .invalidDigest),
        ] as [(String, String, MetalinkRemark.PiecesFault)]
    )
    func piecesThatDoNotFitAreDropped(size: String, element: String, fault: MetalinkRemark.PiecesFault) throws {
        let file = try MetalinkFile(four: "<size>\(size)</size>\(element)<url>http://a/</url>")
        #expect(file.pieces == nil && file.remarks == [.droppedPieces(fault)])
        #expect(file.size == Int64(size) && file.mirrors.count == 1)
    }

    @Test func withoutASizeAnyNumberFits() throws {
        #expect(try MetalinkFile(four: Self.pieces([Self.a, Self.b])).pieces?.count == 2)
    }

    @Test(
        arguments: [
            ([("0", a), ("1", b), ("2", c)], [a, b, c]), ([("2", c), ("0", a), ("1", b)], [a, b, c]),
            ([("0", a), ("1", b), ("1", c)], nil), ([("0", a), ("1", b), ("3", c)], nil),
            ([("1", a), ("2", b), ("3", c)], nil),
            ([("0", a), ("1", b), ("", c)], nil), ([("0", a), ("1", b), ("-1", c)], nil),
            ([("0", a), ("1", b), ("02", c)], nil),
            ([("0", a), ("1", b), ("9223372036854775807", c)], nil),
        ] as [([(String, String)], [String]?)]
    )
    func piecesOfMetalink3AreOrderedByNumber(digests: [(String, String)], expected: [String]?) throws {
        let file = try MetalinkFile(three: "<size>30</size>", verification: Self.numbered(digests))
        let pieces = file.pieces
        #expect(pieces.map { pieces in (0..<pieces.count).map { pieces.digest(of: $0).hexadecimal } } == expected)
        #expect(file.remarks == (expected == nil ? [.droppedPieces(.misnumbered)] : []))
    }

    @Test func piecesOfMetalink3NeedNumbers() throws {
        let file = try MetalinkFile(three: "", verification: Self.pieces([Self.a]))
        #expect(file.pieces == nil && file.remarks == [.droppedPieces(.misnumbered)])
    }

    @Test func theStrongestPiecesThatFitAreKept() throws {
        let (sha1, sha256) = (String(repeating: "11", count: 20), String(repeating: "22", count: 32))
        let all = [
            Self.pieces([Self.a]), Self.pieces([sha256], type: "sha-256"), Self.pieces(["00"], type: "zsync"),
            Self.pieces([sha1], type: "sha-1"),
        ]
        for order in [all, all.reversed()] {
            let file = try MetalinkFile(four: "<size>10</size>" + order.joined())
            #expect(file.pieces?.algorithm == .sha256 && file.remarks.isEmpty)
        }
        let longer = Self.pieces([sha256, sha256], type: "sha-256")
        let file = try MetalinkFile(four: "<size>10</size>\(longer)\(all[0])\(all[3])")
        #expect(file.pieces?.algorithm == .sha1 && file.remarks == [.droppedPieces(.wrongCount)])
        // Of two that are equally strong, the first.
        let two = Self.pieces([Self.a], length: "10") + Self.pieces([Self.b], length: "20")
        #expect(try MetalinkFile(four: "<size>10</size>\(two)").pieces?.length == 10)
    }
}
