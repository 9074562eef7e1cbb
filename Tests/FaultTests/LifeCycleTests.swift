import Foundation
import Spate
import TestSupport
import Testing

/// What may happen at the same time (ResumptionRules.md 90, 91 and 93).
@Suite(.takesTurns) struct LifeCycleTests {
    @Test func pauseAndResumeFromEightThreadsKeepTheBytesRight() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).throttled(bytesPerSecond: 20_000_000) }
        let test = try TestManager()
        let ends = Recorder<Bool>()
        let download = test.manager.download(server.url("/f"), completion: { ends.append($0.error == nil) })
        let threads = Watched(0)
        for _ in 0..<8 {
            Thread.detachNewThread {
                for _ in 0..<100 {
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
        try await ends.wait(forCount: 1)
        #expect(ends.values == [true])
    }

    @Test func aCancelAtTheFinishEitherCancelsOrComesTooLate() async throws {
        let bytes = TestBytes.random(count: 20_000)
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.path == "/0" ? reply.gated(after: 10_000, gate) : reply
        }
        let test = try TestManager()
        let outcomes = Recorder<Bool>()
        for number in 0..<500 {
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
        try await eventually("all attempts have closed their files") {
            try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
        let finished = test.names.filter { !$0.hasSuffix(".part") }
        #expect(finished.count == outcomes.values.filter { $0 }.count)
        #expect(outcomes.values[..<2] == [false, true])
    }

    @Test func aDeletionAndTheSameURLAgainGiveTheNewOneWhole() async throws {
        let bytes = TestBytes.random(count: 400_000)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0) }
        let test = try TestManager()
        for round in 0..<100 {
            let old = test.manager.download(server.url("/f"))
            try await server.waitForRequests(2 * round + 1)
            try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000)))
            try test.manager.delete(server.url("/f"))
            let new = test.manager.download(server.url("/f"))
            #expect(new !== old)
            _ = try await new.ended().get()
            #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil && test.names == ["f"])
            #expect(server.requests.count == 2 * round + 2 && server.requests.last?.range == nil)
            try test.manager.delete(server.url("/f"))
            #expect(test.names.isEmpty)
        }
    }
}
