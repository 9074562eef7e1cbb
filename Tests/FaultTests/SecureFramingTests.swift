import Foundation
import Spate
import SpateTestSupport
import Testing

/// Where a message ends over TLS, and handshakes that fail (ResumptionRules.md 1 to 6, 87).
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct SecureFramingTests {
    /// The two ends of a TLS connection.
    enum End: CaseIterable {
        case announced, unannounced

        func cutting(_ reply: Reply, after count: Int) -> Reply {
            self == .announced ? reply.cut(after: count) : reply.cutUnannounced(after: count)
        }
    }

    @Test(arguments: End.allCases) func aCloseBeforeTheLengthIsContinued(end: End) async throws {
        let story = try FaultStory(tls: .good) { $0.sequence == 1 ? end.cutting($1, after: FaultStory.held) : $1 }
        try await story.publishes(asking: [nil, .rest])
        #expect(story.server.requests[1].ifRange == "\"v1\"")
    }

    @Test(arguments: End.allCases) func aCloseAfterTheLengthIsNoCut(end: End) async throws {
        let story = try FaultStory(tls: .good) { end.cutting($1, after: FaultStory.bytes.count) }
        #expect(try await story.publishes(asking: [nil]).remarks.isEmpty)
    }

    /// In the middle, and where only the last chunk is missing.
    @Test(arguments: End.allCases, [FaultStory.held, 300_000])
    func chunksThatAreCutAreContinued(end: End, cut: Int) async throws {
        let story = try FaultStory(tls: .good) {
            $0.sequence == 1 ? end.cutting($1.chunked(size: 30_000), after: cut) : $1.chunked()
        }
        try await story.publishes(asking: [nil, .rest(from: cut)])
    }

    @Test func withoutALengthAnAnnouncedEndIsTheEndAndFlagged() async throws {
        let story = try FaultStory(tls: .good) { $1.withoutLength }
        #expect(try await story.publishes(asking: [nil]).remarks == [.lengthNotVerified])
    }

    /// Also if all bytes are there: the next answer says so.
    @Test(arguments: [FaultStory.held, 300_000]) func withoutALengthAnUnannouncedEndIsACut(cut: Int) async throws {
        let story = try FaultStory(tls: .good) {
            $0.sequence == 1 ? $1.withoutLength.cutUnannounced(after: cut) : $1
        }
        try await story.publishes(asking: [nil, .rest(from: cut)])
    }

    @Test func aServerThatNeverAnnouncesItsEndIsGivenUpAndItsBytesKept() async throws {
        let story = try FaultStory(tls: .good) {
            $1.withoutLength.cutUnannounced(after: $0.sequence == 1 ? FaultStory.held : 0)
        }
        let asked: [String?] = [nil, .rest, .rest, .rest]
        try await story.fails(.connectionFailed, keeping: FaultStory.held, asking: asked, isRetryable: true)
    }

    static let failures: [(ServerTLS.Handshake, String)] = [
        (.spoken(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), "wrong version"),
        (.spoken(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)), "wrong version"),
        // A fatal alert: handshake_failure.
        (.spoken([0x15, 3, 3, 0, 2, 2, 40]), "handshake failure"),
        (.spoken([0x16, 3, 3, 0xFF, 0xFF] + FaultStory.bytes[..<70_000]), "SSL"),
    ]

    @Test(arguments: failures.indices) func aHandshakeThatFailsIsReported(index: Int) async throws {
        let (handshake, words) = Self.failures[index]
        let story = try FaultStory(tls: ServerTLS(handshake: handshake)) { $1 }
        let error = try await story.fails(.tls, keeping: 0, asking: [])
        #expect(error.message.contains("The TLS handshake failed ("), "\(error.message)")
        #expect(error.message.contains(words) && story.server.connectionCount == 1, "\(error.message)")
    }

    @Test(arguments: [ServerTLS.Handshake.closed, .reset])
    func aConnectionLostInTheHandshakeIsRetried(handshake: ServerTLS.Handshake) async throws {
        let story = try FaultStory(tls: ServerTLS(handshake: handshake)) { $1 }
        try await story.fails(.connectionFailed, keeping: 0, asking: [], isRetryable: true)
        #expect(story.server.connectionCount == 4)
    }
}
