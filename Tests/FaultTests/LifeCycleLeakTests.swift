import Foundation
import Spate
import TestSupport
import Testing

/// What ten thousand downloads leave behind, looked for in a process that does nothing else (RESUMPTION.md 89 and 92).
/// The server stays here, so that what it holds is not counted.
@Suite struct LifeCycleLeakTests {
    @Test func tenThousandCancelsInEveryStateEndOnceAndLeaveNothing() async throws {
        let server = try TestServer(handler)
        await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
            let round = try LifeCycleRound(port: port)
            try await round.run(500) { $0.cancel() }
            let before = try round.level()
            try await round.run(10_000) { $0.cancel() }
            try await round.settles(at: before, slack: 24)
            #expect(round.ends.value == 10_500)
            try round.test.manager.deleteAll()
            #expect(round.test.names.isEmpty)
        }
    }

    @Test func afterTenThousandDownloadsAllIsBackAtItsLevel() async throws {
        let server = try TestServer(handler)
        await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
            let round = try LifeCycleRound(port: port)
            try await round.run(2_000) { if Bool.random() { $0.cancel() } }
            let before = try round.level()
            try await round.run(10_000) { if Bool.random() { $0.cancel() } }
            try await round.settles(at: before, slack: 24)
            // A sanitizer holds what was freed for a while: there the run without one tells.
            if Sanitizer.isPresent { return }
            let grown = try round.level().memory - before.memory
            // Half a kilobyte for each would be five million.
            #expect(grown < 5_000_000, "\(grown) bytes more")
        }
    }

    /// Mostly small files; some that fail, stall or break off.
    private let handler: TestServer.Handler = { request in
        let bytes = [UInt8](repeating: 7, count: 3_000)
        let reply = Reply.file(bytes, etag: "\"v\"", for: request)
        return switch (Int(request.path.dropFirst()) ?? 0) % 10 {
        case 0: .status(404, body: "no")
        case 1 where request.visit == 1: .status(503, body: "later")
        case 2 where request.visit == 1: reply.cut(after: 1_000)
        case 3: reply.dripped(bytes: 1_000, every: .milliseconds(1))
        default: reply
        }
    }
}
