import Foundation
import Spate
import SpateTestSupport
import Testing

/// Servers that close a connection of HTTP/2 while many streams are open on it (ResumptionRules.md 19).
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossibleOverHTTP2, "\(ServerTLS.requirement)"))
struct GoingAwayTests {
    private static let count = 120

    /// Each connection answers ten requests, says that it goes away, and ends, with all others that have come. What it
    /// has not begun to answer may be requested again at once, and is no failed try.
    @Test(arguments: [false, true]) func whatAServerLeavesUnansweredIsRequestedAgain(isAnnounced: Bool) async throws {
        let files = (0..<Self.count).map { TestBytes.random(count: 3_000, seed: UInt64($0)) }
        let server = try TestServer(tls: ServerTLS(versions: .http2)) { request in
            if request.turn > 10 { return .hangUp }
            let reply = Reply.file(files[Int(request.path.dropFirst()) ?? 0], etag: "\"v1\"", for: request)
            return request.turn == 10 && isAnnounced ? reply.goingAway(after: 0) : reply
        }
        let authority = try TestCertificates.authority
        let test = try TestManager {
            $0.certificateAuthorities = authority
            $0.concurrency = .exactly(40)
            $0.retry = .never
        }
        let downloads = test.manager.download((0..<Self.count).map { server.url("/\($0)") })
        var lost: [String] = []
        for (number, download) in downloads.enumerated() {
            do {
                _ = try await download.ended().get()
                #expect(TestBytes.difference(try test.bytes("\(number)"), from: files[number]) == nil)
            } catch {
                lost.append("\(number): \(error)")
            }
        }
        // Of what was under way on a connection, something may be lost with it.
        #expect(lost.count <= 20, "\(lost)")
    }
}
