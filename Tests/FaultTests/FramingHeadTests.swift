import Foundation
import Spate
import SpateTestSupport
import Testing

/// What a response head may say, and what it may not (ResumptionRules.md 7 to 9 and 14 to 18).
@Suite(.takesTurns) struct FramingHeadTests {
    @Test(arguments: ["299999", "300001", "0", "200000, 300000"])
    func twoDifferentLengthsAreNotTrusted(other: String) async throws {
        let story = try FaultStory { $1.addingField("Content-Length", other) }
        try await story.fails(.badResponse, keeping: 0, asking: [nil])
    }

    @Test func theSameLengthTwiceIsOne() async throws {
        try await FaultStory { $1.addingField("Content-Length", "300000") }.publishes(asking: [nil])
        try await FaultStory { $1.replacingField("Content-Length", "300000, 300000") }.publishes(asking: [nil])
    }

    static let badLengths = [
        "-5", "+5", "5abc", "0x10", "5 5", "5.0", "", "five", "9223372036854775808", "99999999999999999999999999",
    ]

    @Test(arguments: badLengths) func aLengthThatIsNotANumberIsAFailureAndTouchesNothing(length: String) async throws {
        let story = try FaultStory { $1.replacingField("Content-Length", length) }
        try await story.fails(.badResponse, keeping: 0, asking: [nil])
        let resumed = try FaultStory.interrupted { $1.replacingField("Content-Length", length) }
        try await resumed.fails(.badResponse, keeping: FaultStory.held, asking: [nil, .rest])
    }

    static let garbage = [
        "a page without a head, as HTTP/0.9 had it\n", "\0\0\0\0\0\0\0\0\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 banana\r\nContent-Length: 2\r\n\r\nhi", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nhi", "ICY 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "\r\n\r\n\r\n", "<html>404 Not Found</html>",
    ]

    @Test(arguments: garbage) func garbageIsAFailureAndInNoFile(text: String) async throws {
        let story = try FaultStory { _, _ in .raw(text) }
        try await story.fails(.badResponse, keeping: 0, asking: [nil])
        let resumed = try FaultStory.interrupted { _, _ in .raw(text) }
        try await resumed.fails(.badResponse, keeping: FaultStory.held, asking: [nil, .rest])
    }

    static let oddHeads: [[UInt8]] = [
        Array("HTTP/1.1 200 OK\r\nETag:\"v1\"\r\nContent-Length:300000\r\n\r\n".utf8),
        Array("HTTP/1.1 200\r\nETag: \"v1\"\r\nContent-Length: 300000\r\n\r\n".utf8),
        Array("HTTP/1.1 200 \r\neTaG: \"v1\"\r\ncontent-LENGTH: \t300000 \t\r\n\r\n".utf8),
        Array("HTTP/1.1 200 D'accord, enti".utf8) + [0xE8] + Array("rement\r\nX-Author: Andr".utf8) + [0xE9]
            + Array("\r\nETag: \"v1\"\r\nContent-Length: 300000\r\n\r\n".utf8),
        Array("HTTP/1.1 200 OK\r\nX-Long: one,\r\n two,\r\n\tthree\r\nETag:\r\n \"v1\"\r\n".utf8)
            + Array("Content-Length: 300000\r\n\r\n".utf8),
        Array("HTTP/1.1 200 OK\nETag: \"v1\"\nContent-Length: 300000\n\n".utf8),
    ]

    @Test(arguments: oddHeads.indices) func anOddHeadIsReadAsItIsMeant(index: Int) async throws {
        let story = try FaultStory.interrupted(by: { _ in
            .raw(Self.oddHeads[index] + FaultStory.bytes[..<FaultStory.held])
        })
        try await story.publishes(asking: [nil, .rest])
        #expect(story.server.requests[1].ifRange == "\"v1\"")
    }

    @Test(arguments: [204, 205, 206, 304]) func anAnswerWithoutContentIsNotAFile(status: Int) async throws {
        let story = try FaultStory { _, _ in .bytes(["HTTP/1.1 \(status) Nothing", "ETag: \"v1\""]) }
        let error = try await story.fails(.badResponse, keeping: 0, asking: [nil])
        #expect(error.statusCode == status)
        if status > 205 { return }
        let resumed = try FaultStory.interrupted { _, _ in .bytes(["HTTP/1.1 \(status) Nothing", "ETag: \"v1\""]) }
        try await resumed.fails(.badResponse, keeping: FaultStory.held, asking: [nil, .rest])
    }

    @Test func anEmptyFileIsAFile() async throws {
        let empty = TestFile("")
        let download = try await FaultStory(of: empty) { $1 }.publishes([], asking: [nil])
        #expect(download.remarks.isEmpty && download.progress.totalBytes == 0)
        #expect(try await FaultStory(of: empty) { $1.chunked() }.publishes([], asking: [nil]).remarks.isEmpty)
        let open = try FaultStory(of: empty) { $1.withoutLength }
        #expect(try await open.publishes([], asking: [nil]).remarks == [.lengthNotVerified])
    }
}
