import Foundation
import Spate
import SpateTestSupport
import Testing

/// What may happen at the same time, and what ten thousand downloads leave behind (ResumptionRules.md 89 to 93).
@Suite(.takesTurns) struct LifeCycleTests {
    @Test func pauseAndResumeFromEightThreadsKeepTheBytesRight() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).throttled(bytesPerSecond: 20_000_000) }
        let test = try TestManager()
        let (ends, threads) = (Recorder<Bool>(), Watched(0))
        let download = test.manager.download(server.url("/f"), completion: { ends.append($0.error == nil) })
        for _ in 0..<8 {
            Thread.detachNewThread {
                for _ in 0..<50 {
                    if Bool.random() { download.pause() } else { download.resume() }
                    usleep(.random(in: 0...2_000))
                }
                threads.update { $0 += 1 }
            }
        }
        try await threads.wait(for: "eight threads", until: { $0 == 8 })
        download.resume()
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil && test.names == ["f"])
        #expect(try await ends.wait(forCount: 1) == [true])
    }

    @Test func aDeletionAndTheSameURLAgainGiveTheNewOneWhole() async throws {
        let bytes = TestBytes.random(count: 400_000)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0) }
        let test = try TestManager()
        for round in 0..<40 {
            test.manager.download(server.url("/f"))
            try await server.waitForRequests(2 * round + 1)
            try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000)))
            try test.manager.delete(server.url("/f"))
            _ = try await test.manager.download(server.url("/f")).ended().get()
            #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil && test.names == ["f"])
            #expect(server.requests.count == 2 * round + 2 && server.requests.last?.range == nil)
            try test.manager.delete(server.url("/f"))
            #expect(test.names.isEmpty)
        }
    }

    @Test func aCancelAtTheFinishEitherCancelsOrComesTooLate() async throws {
        let bytes = TestBytes.random(count: 20_000)
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.path == "/0" ? reply.gated(after: 10_000, gate) : reply
        }
        let test = try TestManager()
        var outcomes: [Bool] = []
        for number in 0..<200 {
            let ends = Recorder<DownloadError?>()
            let download = test.manager.download(server.url("/\(number)"), completion: { ends.append($0.error) })
            // From the head's arrival to well after the end: the first is cancelled in the middle, the second after its
            // end, all others at a random moment.
            try await server.waitForRequests(number + 1)
            switch number {
            case 0: try await gate.reached()
            case 1: _ = try await download.ended()
            default: try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000)))
            }
            download.cancel()
            let error = try await download.ended().error
            outcomes.append(error == nil)
            let isThere = FileManager.default.fileExists(atPath: test.folder.path("\(number)"))
            #expect(isThere == (error == nil) && (error == nil || error?.code == .cancelled))
            if isThere { #expect(TestBytes.difference(try test.bytes("\(number)"), from: bytes) == nil) }
            try await ends.wait(forCount: 1)
            #expect(ends.values.map { $0?.code } == [error?.code])
        }
        // A file that was not there when the end was reported must not come later.
        try await test.filesAreClosed()
        #expect(test.names.count { !$0.hasSuffix(".part") } == outcomes.count { $0 })
        #expect(outcomes[..<2] == [false, true])
    }

    /// Looked for in a process that does nothing else. The server stays here, so that what it holds is not counted.
    @Test(.mostlyWaits) func tenThousandDownloadsOfWhichHalfAreCancelledEndOnceAndLeaveNothing() async throws {
        let server = try TestServer(handler)
        await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
            let round = try LifeCycleRound(port: port)
            try await round.run(2_000)
            let before = try round.level()
            try await round.run(10_000)
            try await round.returns(to: before, slack: 24)
            #expect(round.ends.value == 12_000)
            try round.test.manager.deleteAll()
            #expect(round.test.names.isEmpty)
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
        let descriptors: Int
        let threads: Int
        let memory: Int
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

    /// This many downloads, a hundred at a time. Half of them are cancelled at a random moment: waiting, running, paused,
    /// waiting for a retry, or ended. Every file is deleted in the end.
    func run(_ count: Int) async throws {
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
                if Bool.random() { download.cancel() }
                download.resume()
            }
            try await told.wait(forCount: 100)
            #expect(Set(told.values).count == 100 && told.values.count == 100, "from \(start)")
            try test.manager.deleteAll()
        }
    }

    func level() throws -> Level {
        let probe = ProcessProbe()
        return try Level(descriptors: probe.descriptors.count, threads: probe.threads, memory: probe.residentBytes)
    }

    /// Returns when descriptors and threads are back, but for what is kept for later use.
    func returns(to before: Level, slack: Int) async throws {
        try await eventually("descriptors and threads are back at \(before)") {
            let now = try self.level()
            return now.descriptors <= before.descriptors + slack && now.threads <= before.threads + slack
        }
    }
}
