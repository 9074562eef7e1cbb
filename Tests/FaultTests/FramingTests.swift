import Foundation
import Spate
import SpateTestSupport
import Testing

/// Where a message ends, and what follows when it ends elsewhere (ResumptionRules.md 1 to 6 and 10 to 13).
@Suite(.takesTurns) struct FramingTests {
    private let bytes = FaultStory.bytes

    @Test func aCloseBeforeTheLengthIsContinued() async throws {
        let story = try FaultStory.interrupted()
        try await story.publishes(asking: [nil, .rest])
        #expect(story.server.requests[1].ifRange == "\"v1\"")
    }

    @Test func aConnectionThatAlwaysClosesEarlyIsGivenUpAndItsBytesKept() async throws {
        let story = try FaultStory { $1.cut(after: $0.sequence == 1 ? FaultStory.held : 0) }
        let asked: [String?] = [nil, .rest, .rest, .rest]
        try await story.fails(.connectionFailed, keeping: FaultStory.held, asking: asked, isRetryable: true)
    }

    @Test func theRetryCountStartsAgainWithProgress() async throws {
        let story = try FaultStory { $1.cut(after: 50_000) }
        // Each answer repeats 4 KiB.
        try await story.publishes(asking: [nil] + (0...5).map { .rest(from: 50_000 + $0 * 45_904) })
    }

    /// Within a chunk, after one, and where only the last one is missing, which would prove the end.
    @Test(arguments: [150_000, 200_000, 300_000]) func chunksThatAreCutAreContinued(cut: Int) async throws {
        let story = try FaultStory { $0.sequence == 1 ? $1.chunked(size: 100_000).cut(after: cut) : $1.chunked() }
        try await story.publishes(asking: [nil, .rest(from: cut)])
    }

    @Test func aResetInTheBodyIsContinued() async throws {
        try await FaultStory.interrupted(by: { $0.reset(after: FaultStory.held) }).publishes(asking: [nil, .rest])
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A chunk of the file's first hundred bytes, and then this in place of the next chunk.
    private static func badChunks(_ next: String) -> Reply {
        .raw(Array("\(chunkedHead)64\r\n".utf8) + FaultStory.bytes[..<100] + Array("\r\n\(next)".utf8))
    }

    /// In the last three the number at the front would end the file too early.
    static let badSizes = [
        "zz\r\n", "-5\r\nabcde\r\n", "\r\n\r\n", "ffffffffffffffff\r\n", "11111111111111111\r\nx",
        "0x64\r\n\r\n", "0 0\r\n\r\n", "0,64\r\n\r\n",
    ]

    @Test(arguments: badSizes) func aMalformedChunkSizeIsTriedOnceMoreAndItsBytesKept(size: String) async throws {
        let story = try FaultStory { _, _ in Self.badChunks(size) }
        try await story.fails(.badResponse, keeping: 100, asking: [nil, .rest(from: 100)])
    }

    @Test(arguments: ["64 \r\n", "64;name=\"a value\"\r\n", "0064\r\n", "64\n"])
    func aChunkSizeInAnotherSpellingIsRead(size: String) async throws {
        let body = Array("\(Self.chunkedHead)\(size)".utf8) + bytes[..<100] + Array("\r\n0\r\n\r\n".utf8)
        let story = try FaultStory { _, _ in .raw(body) }
        try await story.publishes(Array(bytes[..<100]), asking: [nil])
    }

    @Test(arguments: ["gzip, chunked", "chunked, gzip", "chunked, chunked", "gzip", "unheard-of"])
    func anUnrequestedTransferCodingIsNotTheFile(coding: String) async throws {
        let story = try FaultStory { $1.chunked().replacingField("Transfer-Encoding", coding) }
        let error = try await story.fails(.badResponse, keeping: 0, asking: [nil])
        #expect(error.message.contains(coding))
    }

    @Test(arguments: ["identity, chunked", "Chunked", " chunked "])
    func chunkedIsReadInAnySpelling(coding: String) async throws {
        let story = try FaultStory { $1.chunked().replacingField("Transfer-Encoding", coding) }
        #expect(try await story.publishes(asking: [nil]).remarks.isEmpty)
    }

    @Test(arguments: ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"])
    func bytesAfterTheEndAreLeftAndTheConnectionIsNotUsedAgain(message: String) async throws {
        let story = try FaultStory { request, right in
            guard request.sequence == 1 else { return right }
            let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
            return .raw("HTTP/1.1 200 OK\r\n" + message + evil, closes: false)
        }
        try await story.publishes(Array("hello".utf8), asking: [nil])
        for number in 1...8 { try await download(number, of: story) }
        #expect(story.server.requests.filter { $0.connection == 1 }.count == 1)
    }

    private func download(_ number: Int, of story: FaultStory) async throws {
        _ = try await story.test.manager.download(story.server.url("/\(number)")).ended().get()
        #expect(TestBytes.difference(try story.test.bytes("\(number)"), from: bytes) == nil)
    }

    /// Downloads until one of the downloads gets a connection that was used before: libcurl chooses it.
    private func downloadUntilAConnectionIsUsedAgain(_ story: FaultStory) async throws {
        for number in 1...50 where !story.server.requests.contains(where: { $0.turn > 1 }) {
            try await download(number, of: story)
        }
        #expect(story.server.requests.contains { $0.turn > 1 })
    }

    @Test func leftoverBytesAreNotTheNextAnswer() async throws {
        let story = try FaultStory { $0.turn == 1 ? $1 : .raw("what the response before left over\r\n\r\n") }
        try await downloadUntilAConnectionIsUsedAgain(story)
    }

    @Test func withoutALengthACloseIsTheEndAndFlagged() async throws {
        let story = try FaultStory { $1.withoutLength }
        #expect(try await story.publishes(asking: [nil]).remarks.contains(.lengthNotVerified))
    }

    @Test func withoutALengthTheExpectedSizeSaysWhereTheEndIs() async throws {
        let exact = try FaultStory { $1.withoutLength }
        #expect(try await exact.publishes(asking: [nil]) { $0.expectedBytes = 300_000 }.remarks.isEmpty)
        let short = try FaultStory { $1.withoutLength }
        let asked: [String?] = [nil, .rest(from: 300_000)]
        try await short.fails(.incomplete, keeping: 300_000, asking: asked) { $0.expectedBytes = 300_001 }
        for isChunked in [true, false] {
            let long = try FaultStory { isChunked ? $1.chunked() : $1.withoutLength }
            try await long.fails(.tooLarge, keeping: 299_999, asking: [nil]) { $0.expectedBytes = 299_999 }
        }
    }

    @Test(arguments: ["0", "5", "300000", "400000"])
    func chunksWinOverALengthBesideThem(length: String) async throws {
        let story = try FaultStory { $1.chunked().addingField("Content-Length", length) }
        #expect(try await story.publishes(asking: [nil]).remarks.isEmpty)
    }

    @Test func trailersAreNotPartOfTheFile() async throws {
        let story = try FaultStory {
            $1.chunked(trailers: ["Content-Length": "5", "ETag": "\"v2\"", "X-Checksum": "abc"])
        }
        try await story.publishes(asking: [nil])
    }

    @Test func fieldsOfAnInterimResponseAreIgnored() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nETag: \"v0\"\r\nContent-Length: 7\r\nContent-Encoding: br\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let story = try FaultStory { _, _ in .raw(hints + final) }
        #expect(try await story.publishes(Array("hello".utf8), asking: [nil]).remarks.isEmpty)
    }

    @Test func anEmptyReplyOnAReusedConnectionIsAskedAgainAtOnce() async throws {
        // Without retries: what is asked again here is no retry, and waits for nothing.
        let story = try FaultStory({ $0.retry = .never }) { $0.turn == 1 ? $1 : .hangUp }
        try await downloadUntilAConnectionIsUsedAgain(story)
        let last = story.server.requests.suffix(2)
        #expect(last.map(\.turn) == [2, 1] && Set(last.map(\.path)).count == 1)
    }

    @Test func anEmptyReplyOnANewConnectionIsRetried() async throws {
        let story = try FaultStory { $0.sequence == 1 ? .hangUp : $1 }
        try await story.publishes(asking: [nil, nil])
        let silent = try FaultStory { _, _ in .hangUp }
        try await silent.fails(.connectionFailed, keeping: 0, asking: [nil, nil, nil, nil], isRetryable: true)
    }
}
