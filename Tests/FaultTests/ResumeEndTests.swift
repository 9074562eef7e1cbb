import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Range and resume", 35 to 37, 43 and 44: nothing is left to ask for, or so it seems.
@Suite struct ResumeEndTests {
    private let bytes = ResumeStory.bytes
    private let rest = ResumeStory.bytes.dropFirst(ResumeStory.left)

    @Test func line35A416ThatNamesWhatIsHereProvesIt() async throws {
        let story = try await ResumeStory.leftBehind { request, reply in
            request.range == "bytes=300000-" ? reply.removingField("ETag") : reply
        }
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=300000-"] && story.server.requests.dropFirst().first?.ifRange == "\"v1\"")
    }

    @Test func line35A416OfAnotherEntityProvesNothing() async throws {
        let other = TestBytes.random(count: 300_000, seed: 2)
        let story = try await ResumeStory.leftBehind { request, _ in
            // A server that ignores If-Range.
            request.range == nil
                ? .file(other, etag: "\"v2\"", for: request)
                : .status(416, fields: ["Content-Range": "bytes */300000", "ETag": "\"v2\""])
        }
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes(other)
        #expect(story.ranges == [nil, "bytes=300000-", nil])
    }

    @Test func line35AChecksumIsVerifiedThoughNoBodyCame() async throws {
        let story = try await ResumeStory.leftBehind()
        try story.test.append(rest.reversed(), to: ResumeStory.part)
        let error = try await story.end { $0.sha256 = String(repeating: "0", count: 64) }.error
        #expect(error?.code == .checksumMismatch && story.test.names.isEmpty)
    }

    @Test func line36A416WithATotalBelowWhatIsHereStartsOver() async throws {
        let shorter = Array(bytes[..<50_000])
        let story = try ResumeStory { request, _ in .file(shorter, etag: "\"v1\"", for: request) }
        try await story.publishes(shorter)
        #expect(story.ranges == [nil, "bytes=100000-", nil])
    }

    @Test func line36A416WithATotalAboveWhatIsHereStartsOverOnce() async throws {
        let story = try ResumeStory { request, reply in
            request.range == nil ? reply : .status(416, fields: ["Content-Range": "bytes */300000"])
        }
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-", nil])
    }

    @Test func line36AServerThatAlwaysSaysSoIsGivenUp() async throws {
        let story = try ResumeStory { request, reply in
            request.range == nil
                ? reply.cut(after: ResumeStory.left)
                : .status(416, fields: ["Content-Range": "bytes */300000"])
        }
        try await story.fails(.badResponse)
        #expect(story.ranges == [nil, "bytes=100000-", nil, "bytes=100000-"])
    }

    @Test func line37A416WithoutATotalLeadsToTheLastByteAndOn() async throws {
        let story = try ResumeStory { request, reply in
            request.range == "bytes=100000-" ? .status(416) : reply
        }
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-", "bytes=99999-"])
        #expect(story.server.requests.dropFirst(2).first?.ifRange == "\"v1\"")
    }

    @Test func line37TheLastByteProvesThatAllIsHere() async throws {
        let story = try await ResumeStory.leftBehind { request, reply in
            request.range == "bytes=300000-" ? .status(416) : reply
        }
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=300000-", "bytes=299999-"])
    }

    @Test(arguments: [
        nil, "bytes */*", "bytes 0-1/300000", "items */100000", "bytes */99999999999999999999", "bytes */-100000",
        "*/100000",
    ])
    func line37WithoutProofItStartsOver(said: String?) async throws {
        let story = try ResumeStory { request, reply in
            guard request.range != nil else { return reply }
            return said.map { .status(416, fields: ["Content-Range": $0]) } ?? .status(416)
        }
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-", "bytes=99999-", nil])
    }

    @Test func line43APartialLongerThanTheTotalStartsOver() async throws {
        let story = try await ResumeStory.leftBehind()
        try story.test.append(rest + [1], to: ResumeStory.part)
        try await story.publishes()
        #expect(story.ranges == [nil, nil])
    }

    @Test func line44ADateProvesAsWellAsATag() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try await ResumeStory.leftBehind(TestFile(bytes, lastModified: date))
        let sent = story.server.bytesSent
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=300000-"] && story.server.bytesSent == sent)
        #expect(story.server.requests.dropFirst().first?.ifRange == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test func line44WithoutAValidatorTheOverlapProvesIt() async throws {
        let story = try await ResumeStory.leftBehind(TestFile(bytes))
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=\(300_000 - 65_536)-"])
    }

    @Test func line44AFileThatChangedMeanwhileIsFetchedAnew() async throws {
        let other = TestBytes.random(count: 300_000, seed: 2)
        let story = try await ResumeStory.leftBehind { request, _ in .file(other, etag: "\"v2\"", for: request) }
        try story.test.append(rest, to: ResumeStory.part)
        try await story.publishes(other)
        #expect(story.ranges == [nil, "bytes=300000-"])
    }
}
