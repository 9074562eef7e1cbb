import Foundation
import Spate
import TestSupport
import Testing

/// What ten thousand downloads leave behind, looked for in a process that does nothing else (ResumptionRules.md 89 and 92).
/// The server stays here, so that what it holds is not counted.
@Suite(.takesTurns) struct LifeCycleLeakTests {
    @Test func tenThousandCancelsInEveryStateEndOnceAndLeaveNothing() async throws {
        let server = try TestServer(handler)
        await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
            let round = try LifeCycleRound(port: port)
            try await round.run(500) { $0.cancel() }
            let before = try round.level()
            try await round.run(10_000) { $0.cancel() }
            try await round.returns(to: before, slack: 24)
            #expect(round.ends.value == 10_500)
            try round.test.manager.deleteAll()
            #expect(round.test.names.isEmpty)
        }
    }

    @Test func afterTenThousandDownloadsNothingIsLeaked() async throws {
        let server = try TestServer(handler)
        await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
            let round = try LifeCycleRound(port: port)
            try await round.run(2_000) { if Bool.random() { $0.cancel() } }
            let before = try round.level()
            try await round.run(10_000) { if Bool.random() { $0.cancel() } }
            try await round.returns(to: before, slack: 24)
            // A sanitizer keeps freed memory for a while: this is checked only without one.
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

/// Downloads by the thousand in a process of its own, and what that process holds.
final class LifeCycleRound: Sendable {
    struct Level: Sendable {
        var descriptors: Int
        var threads: Int
        var memory: Int
    }

    let test: TestManager
    /// How many ends have been reported.
    let ends = Watched(0)
    private let port: UInt16
    private let begun = Watched(0)

    init(port: UInt16) throws {
        self.port = port
        test = try TestManager { $0.maxConcurrentDownloads = 6 }
    }

    /// This many downloads, a hundred at a time. Each is given to `disturb` at a random moment: waiting, running,
    /// paused, waiting for a retry, or ended. Every file is deleted in the end.
    func run(_ count: Int, disturb: @escaping @Sendable (Download) -> Void) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            let first = begun.update { begun in
                begun += 100
                return begun - 100
            }
            let told = Recorder<Int>()
            let downloads = try (first..<first + 100).map { number in
                let url = try #require(URL(string: "http://127.0.0.1:\(port)/\(number)"))
                return test.manager.download(
                    url,
                    completion: { [ends] _ in
                        ends.update { $0 += 1 }
                        told.append(number)
                    }
                )
            }
            for download in downloads.shuffled() {
                if Int.random(in: 0..<5) == 0 { download.pause() }
                if Bool.random() { usleep(.random(in: 0...300)) }
                disturb(download)
                download.resume()
            }
            try await told.wait(forCount: 100)
            #expect(Set(told.values).count == 100 && told.values.count == 100, "from \(start)")
            try test.manager.deleteAll()
        }
    }

    func level() throws -> Level {
        let probe = ProcessProbe()
        return Level(
            descriptors: try probe.openDescriptors,
            threads: try probe.threads,
            memory: try probe.residentBytes
        )
    }

    /// Returns when descriptors and threads are back, but for what is kept for later use.
    func returns(to before: Level, slack: Int) async throws {
        try await eventually("descriptors and threads are back at \(before)") {
            let now = try self.level()
            return now.descriptors <= before.descriptors + slack && now.threads <= before.threads + slack
        }
    }
}
