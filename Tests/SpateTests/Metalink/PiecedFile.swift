import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// A file of ten pieces and a shorter one, and its Metalink.
enum PiecedFile {
    static let pieceLength = 65_536
    static let content = TestBytes.random(count: 10 * pieceLength + 1_000, seed: 7)

    /// - Parameters:
    ///   - urls: the best first.
    ///   - hasPieces: whether it has the checksums of pieces.
    ///   - hasSum: whether it has the checksum of the whole.
    static func metalink(_ urls: [URL], pieces hasPieces: Bool = true, sum hasSum: Bool = true) throws -> Metalink.File
    {
        let text = document(urls, pieces: hasPieces, sum: hasSum)
        return try #require(try Metalink(Data(text.utf8)).files.first)
    }

    /// The same as a document.
    static func document(
        _ urls: [URL],
        named name: String = "f",
        size: Int = content.count,
        pieces hasPieces: Bool = true,
        sum hasSum: Bool = true
    ) -> String {
        let starts = stride(from: 0, to: content.count, by: pieceLength)
        let hashes = starts.map { "<hash>\(sum(content[$0..<min(content.count, $0 + pieceLength)]))</hash>" }
        let list = "<pieces length=\"\(pieceLength)\" type=\"sha-256\">\(hashes.joined())</pieces>"
        let whole = "<hash type=\"sha-256\">\(sum(content[...]))</hash>"
        let places = urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }
        return "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\"><size>\(size)</size>"
            + "\(hasSum ? whole : "")\(hasPieces ? list : "")\(places.joined())</file></metalink>"
    }

    /// The file with these pieces damaged: the five hundredth byte of each is another.
    static func damaged(_ pieces: [Int]) -> [UInt8] {
        var bytes = content
        for piece in pieces { bytes[piece * pieceLength + 500] ^= 1 }
        return bytes
    }

    static func sum(_ bytes: ArraySlice<UInt8>) -> String {
        var digest = SHA256()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish().map { Checksum(.sha256, digest: $0).hexadecimal } ?? ""
    }
}
