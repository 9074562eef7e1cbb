import SpateHTTPSyntax
import Testing

@Suite struct ChunkReaderTests {
    private static let limit = 1_000

    /// The result of reading a message that arrives in pieces.
    private struct Reading: Equatable {
        var body: [UInt8] = []
        var isComplete = false
        var excess = 0
        var fault: ChunkFault?

        init(_ pieces: [ArraySlice<UInt8>]) {
            var reader = ChunkReader(overheadLimit: ChunkReaderTests.limit)
            for piece in pieces where fault == nil {
                piece.withUnsafeBytes { bytes in
                    var rest = bytes
                    do throws(ChunkFault) {
                        while let run = try reader.next(from: &rest) { body += run }
                        excess += rest.count
                    } catch {
                        fault = error
                    }
                }
            }
            isComplete = reader.isComplete
        }

        init(_ text: String) {
            self.init([ArraySlice(text.utf8)])
        }
    }

    static let valid: [(message: String, body: String)] = [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
        ("A\r\n0123456789\r\na\r\n0123456789\r\n00\r\n\r\n", "01234567890123456789"),
        ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"), ("5;name=value\r\nhello\r\n0;last\r\n\r\n", "hello"),
        ("5 ;a=\"b\\\"c\" ; d\r\nhello\r\n0\r\n\r\n", "hello"), ("5   \r\nhello\r\n0\t\r\n\r\n", "hello"),
        ("5\nhello\n0\n\n", "hello"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ("5\r\nhello\r\n0\r\nETag: \"x\"\r\nX: 1\r\n\r\n", "hello"), ("5\r\nhello\r\n0\r\nETag: \"x\"\n\n", "hello"),
    ]

    @Test(arguments: valid) func aMessageIsReadHoweverItIsSplit(message: String, body: String) {
        let bytes = Array(message.utf8)
        for cut in bytes.indices {
            let reading = Reading([bytes[..<cut], bytes[cut...]])
            #expect(reading.body == Array(body.utf8) && reading.fault == nil, "cut at \(cut)")
            #expect(reading.isComplete && reading.excess == 0, "cut at \(cut)")
            let start = Reading([bytes[..<cut]])
            #expect(!start.isComplete && start.fault == nil && body.utf8.starts(with: start.body), "cut at \(cut)")
        }
        #expect(Reading(bytes.indices.map { bytes[$0...$0] }).body == Array(body.utf8))
    }

    static let invalidSizes = [
        "zz", "-5", "+5", "", "0x64", "0 0", "5 5", "5g", "5,", " 5", "\t5", "5:", "8000000000000000",
        "ffffffffffffffff", "00000000000000005", "10000000000000000", "\u{0}", "５",
    ]

    @Test(arguments: invalidSizes) func anInvalidSizeIsAFault(text: String) {
        for message in ["\(text)\r\n\r\n", "3\r\nabc\r\n\(text)\r\n\r\n"] {
            let reading = Reading(message)
            #expect(reading.fault == .invalidSize && !reading.isComplete, "\(reading)")
            #expect(reading.body == (message.hasPrefix("3") ? Array("abc".utf8) : []))
        }
    }

    @Test(arguments: ["3\r\nabcd\r\n", "3\r\nabc\rX", "3\rabc", "3\r\nabc0\r\n\r\n", "0\r\n\rX"])
    func aMissingLineEndIsAFault(message: String) {
        let reading = Reading(message)
        #expect(reading.fault == .missingLineEnd && !reading.isComplete)
    }

    @Test func theLargestSizeIsRead() {
        let reading = Reading("7fffffffffffffff\r\nabc")
        #expect(reading.body == Array("abc".utf8) && reading.fault == nil && !reading.isComplete)
    }

    @Test func bytesAfterTheEndAreLeft() {
        let reading = Reading("3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n")
        #expect(reading.body == Array("abc".utf8) && reading.isComplete && reading.excess == 17)
    }

    @Test(arguments: ["1;", "1\r\na\r\n1;", "0\r\nX: ", "0\r\n"])
    func extensionsAndTrailersAreCapped(beginning: String) {
        let filling = beginning.hasSuffix("\n") ? "X: 1\r\n" : "x"
        let reading = Reading(beginning + String(repeating: filling, count: Self.limit))
        #expect(reading.fault == .tooMuchOverhead)
    }

    @Test func everyChunkMayHaveAShortExtension() {
        let message = String(repeating: "1;abcdef\r\nx\r\n", count: Self.limit) + "0\r\n\r\n"
        #expect(Reading(message).body.count == Self.limit && Reading(message).isComplete)
    }
}
