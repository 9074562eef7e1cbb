import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// `DownloadRequest.timeLimit`: the whole download, with its retries.
@Suite(.takesTurns) struct TimeLimitTests {
    private static let bytes = TestBytes.random(count: 300_000)

    @Test func itEndsADownloadAndKeepsThePart() async throws {
        let server = try TestServer { request in
            let file = Reply.file(Self.bytes, etag: "\"a\"", for: request)
            return request.visit == 1 ? file.stalled(after: 100_000) : file
        }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.timeLimit = .seconds(2)
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .timedOut && error.isRetryable && error.keptPartialFile)
        #expect(
            error.message == "The file was not complete after 2 s. Try again to get the rest, or allow more time."
        )
        #expect(error.url == server.url("/f"))
        try await test.filesAreClosed()
        #expect(try test.manager.storedDownloads().map(\.receivedBytes) == [100_000])
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == Self.bytes)
    }

    /// Time that it waits for its first slot does not count, and it is the same through retries.
    @Test func itBeginsWithTheFirstAttempt() async throws {
        let time = TurnedTime()
        let silent = try SilentManager(maxConcurrentDownloads: 1, on: time.platform)
        let first = silent.manager.download(silent.url("a"))
        var request = DownloadRequest(silent.url("b"))
        request.timeLimit = .seconds(100)
        let second = silent.manager.download(request)
        try await eventually("the first runs") { first.state == .running }
        time.advance(by: .seconds(1_000))
        #expect(second.state == .waiting(.slot))
        first.cancel()
        silent.transport.letGo()
        try await eventually("the second runs") { second.state == .running }
        time.advance(by: .seconds(99))
        #expect(second.state == .running)
        time.advance(by: .seconds(1))
        #expect(second.error?.code == .timedOut)
    }

    /// A pause ends the time, and whoever resumes has the whole again.
    @Test func whoeverResumesHasTheWholeTimeAgain() {
        var machine = MachineSetting.paused.machine()
        #expect(machine.handle(MachineEvent.timeIsUp.of(1)) == [])
        _ = machine.handle(.resume)
        _ = machine.handle(MachineEvent.started.of(2))
        #expect(!machine.isTimed(from: 1) && machine.isTimed(from: 2))
        #expect(machine.handle(MachineEvent.timeIsUp.of(1)) == [])
        #expect(machine.handle(MachineEvent.timeIsUp.of(2)) == [.abandon(2), .notify(isEnd: true)])
        #expect(Standing(machine.state) == .failed)
    }

    /// A redirect to a host without room lets it wait again.
    @Test func waitingForAHostCountsOnceItHasBegun() {
        var machine = MachineSetting.running.machine()
        _ = machine.handle(MachineEvent.turnedAway.of(1))
        #expect(machine.handle(MachineEvent.timeIsUp.of(1)) == [.abandon(2), .notify(isEnd: true)])
    }

    /// While it waits for a retry, the last failure is told, too.
    @Test func retriesAndTheWaitsBeforeThemCount() async throws {
        let server = try TestServer { _ in .status(503) }
        let test = try TestManager {
            $0.retry.firstDelay = .seconds(1_000); $0.retry.maximumDelay = .seconds(1_000)
        }
        var request = DownloadRequest(server.url("/f"))
        request.timeLimit = .seconds(2)
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .timedOut && !error.keptPartialFile)
        #expect(error.message.hasSuffix("or allow more time. The last try failed: 503 Service Unavailable"))
    }

    /// A timer that comes while the file gets its name is too late, unless the file gets none: then no retry follows.
    @Test func itIsTooLateForAFileThatGetsItsName() {
        for ends in [true, false] {
            var machine = MachineSetting.publishing.machine()
            #expect(machine.handle(MachineEvent.timeIsUp.of(1)) == [])
            if ends {
                #expect(machine.handle(MachineEvent.finished.of(1)) == [.notify(isEnd: true)])
            } else {
                _ = machine.handle(MachineEvent.didNotPublish.of(1))
                _ = machine.handle(MachineEvent.failed.of(1))
            }
            #expect(Standing(machine.state) == (ends ? .finished : .failed))
        }
    }

    @Test func onlyARequestWithTheSameLimitJoins() async throws {
        let silent = try SilentManager()
        var request = DownloadRequest(silent.url("a"))
        request.timeLimit = .seconds(100)
        let download = silent.manager.download(request)
        #expect(silent.manager.download(request) === download)
        let other = try #require(try await silent.manager.download(silent.url("a")).ended().error)
        #expect(other.code == .conflict && other.message.contains("time limit"))
    }
}
