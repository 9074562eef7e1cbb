import Foundation
import Spate
import TestSupport
import Testing

/// All bytes are here already, or seem to be (ResumptionRules.md 35 to 37, 43 and 44).
@Suite(.takesTurns) struct ResumeEndTests {
    private let bytes = FaultStory.bytes
    private let rest = FaultStory.bytes.dropFirst(FaultStory.held)

    @Test func a416ThatNamesWhatIsHereProvesIt() async throws {
        let story = try await FaultStory.leftBehind { request, reply in
            request.range == "bytes=300000-" ? reply.removingField("ETag") : reply
        }
        try story.test.append(rest, to: "f.part")
        try await story.publishes(asking: [nil, "bytes=300000-"])
        #expect(story.server.requests.dropFirst().first?.ifRange == "\"v1\"")
    }

    @Test func a416OfAnotherEntityProvesNothing() async throws {
        let other = TestBytes.random(count: 300_000, seed: 2)
        let story = try await FaultStory.leftBehind { request, _ in
            // A server that ignores If-Range.
            request.range == nil
                ? .file(other, etag: "\"v2\"", for: request)
                : .status(416, fields: ["Content-Range": "bytes */300000", "ETag": "\"v2\""])
        }
        try story.test.append(rest, to: "f.part")
        try await story.publishes(other, asking: [nil, "bytes=300000-", nil])
    }

    @Test func aChecksumIsVerifiedThoughNoBodyCame() async throws {
        let story = try await FaultStory.leftBehind()
        try story.test.append(rest.reversed(), to: "f.part")
        let error = try await story.run { $0.sha256 = String(repeating: "0", count: 64) }.result.error
        #expect(error?.code == .checksumMismatch && story.test.names.isEmpty)
    }

    @Test func a416WithATotalBelowWhatIsHereStartsOver() async throws {
        let shorter = Array(bytes[..<50_000])
        let story = try FaultStory.interrupted { request, _ in .file(shorter, etag: "\"v1\"", for: request) }
        try await story.publishes(shorter, asking: [nil, .rest, nil])
    }

    @Test func a416WithATotalAboveWhatIsHereStartsOverOnce() async throws {
        let story = try FaultStory.interrupted { request, reply in
            request.range == nil ? reply : .status(416, fields: ["Content-Range": "bytes */300000"])
        }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test func theEndOfWhatIsHereProvesThatItIsAll() async throws {
        let story = try await FaultStory.leftBehind { request, reply in
            request.range == "bytes=300000-" ? .status(416) : reply
        }
        try story.test.append(rest, to: "f.part")
        try await story.publishes(asking: [nil, "bytes=300000-", .rest(from: 300_000)])
    }

    @Test(arguments: [
        nil, "bytes */*", "bytes 0-1/300000", "items */100000", "bytes */99999999999999999999", "bytes */-100000",
        "*/100000",
    ])
    func a416WithoutProofStartsOver(said: String?) async throws {
        let story = try FaultStory.interrupted { request, reply in
            guard request.range != nil else { return reply }
            return said.map { .status(416, fields: ["Content-Range": $0]) } ?? .status(416)
        }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test func aPartialFileLongerThanTheTotalStartsOver() async throws {
        let story = try await FaultStory.leftBehind()
        try story.test.append(rest + [1], to: "f.part")
        try await story.publishes(asking: [nil, nil])
    }

    @Test func aFileThatChangedMeanwhileIsFetchedAnew() async throws {
        let other = TestBytes.random(count: 300_000, seed: 2)
        let story = try await FaultStory.leftBehind { request, _ in .file(other, etag: "\"v2\"", for: request) }
        try story.test.append(rest, to: "f.part")
        try await story.publishes(other, asking: [nil, "bytes=300000-"])
    }
}
