import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// `Configuration.minimumSpeed`: a server that drips is not healthy for ever.
@Suite(.takesTurns) struct MinimumSpeedTests {
    private static let bytes = TestBytes.random(count: 300_000)
    private static let minimum = MinimumSpeed(bytesPerSecond: 5_000, over: .seconds(2))

    /// Its bytes are no progress: otherwise it would be asked for ever.
    @Test func aServerThatAlwaysDripsIsGivenUp() async throws {
        let server = try TestServer {
            .file(Self.bytes, etag: "\"a\"", for: $0).dripped(bytes: 100, every: .milliseconds(50))
        }
        let test = try TestManager {
            $0.minimumSpeed = Self.minimum
            $0.retry.maxRetriesWithoutProgress = 1
        }
        var request = DownloadRequest(server.url("/f"))
        request.connections = .exactly(1)
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .timedOut && error.isRetryable && error.keptPartialFile)
        #expect(
            error.message
                == "The server sent less than 5 kB/s for 2 s. Try again to get the rest, or allow less."
        )
        #expect(server.requests.count == 2)
    }

    @Test func aServerThatDripsOnceIsAskedAgain() async throws {
        let server = try TestServer { request in
            let file = Reply.file(Self.bytes, etag: "\"a\"", for: request)
            return request.visit == 1 ? file.dripped(bytes: 100, every: .milliseconds(50)) : file
        }
        let test = try TestManager { $0.minimumSpeed = Self.minimum }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.count >= 2 && server.requests.last?.range != nil)
        #expect(try test.bytes("f") == Self.bytes)
    }

    /// A limit of our own proves nothing about the server.
    @Test func ourOwnLimitIsNotTheServersFault() async throws {
        let server = try TestServer { .file(Self.bytes, etag: "\"a\"", for: $0) }
        let test = try TestManager { $0.minimumSpeed = MinimumSpeed(bytesPerSecond: 1_000_000, over: .seconds(1)) }
        var request = DownloadRequest(server.url("/f"))
        request.maxBytesPerSecond = 100_000
        _ = try await test.manager.download(request).ended().get()
        #expect(server.requests.count == 1)
    }

    @Test func aMirrorIsAskedAsAfterOtherFailures() async throws {
        let server = try TestServer {
            .file(Self.bytes, etag: "\"a\"", for: $0).dripped(bytes: 100, every: .milliseconds(50))
        }
        let mirror = try TestServer { .file(Self.bytes, etag: "\"a\"", for: $0) }
        let test = try TestManager {
            $0.retry = .never
            $0.minimumSpeed = Self.minimum
        }
        var request = DownloadRequest(server.url("/f"))
        request.connections = .exactly(1)
        request.mirrors = [mirror.url("/f")]
        _ = try await test.manager.download(request).ended().get()
        #expect(server.requests.count == 1 && mirror.requests.count == 1)
        #expect(try test.bytes("f") == Self.bytes)
    }

    /// All connections of a file count together.
    @Test func connectionsOfAFileAreOneSpeed() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let server = try TestServer {
            .file(bytes, etag: "\"a\"", for: $0).throttled(bytesPerSecond: 100_000)
        }
        let test = try TestManager { $0.minimumSpeed = MinimumSpeed(bytesPerSecond: 130_000, over: .seconds(3)) }
        var request = DownloadRequest(server.url("/f"))
        request.connections = .exactly(4)
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == bytes)
    }

    @Test func aFileOfSeveralConnectionsThatIsTooSlowEnds() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let server = try TestServer {
            .file(bytes, etag: "\"a\"", for: $0).throttled(bytesPerSecond: 50_000)
        }
        let test = try TestManager {
            $0.retry = .never
            $0.minimumSpeed = MinimumSpeed(bytesPerSecond: 1_000_000, over: .seconds(1))
        }
        var request = DownloadRequest(server.url("/f"))
        request.connections = .exactly(4)
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .timedOut && error.keptPartialFile)
    }

    @Test func aPeriodIsJudgedByWhatArrivedInIt() {
        var floor = SpeedFloor(isLimited: false)
        let minimum = MinimumSpeed(bytesPerSecond: 10, over: .seconds(2))
        var verdicts = [floor.judge(minimum, arrived: 20, isLimited: false)]
        #expect(floor.wasReached)
        // A limit at either end of the period.
        verdicts.append(floor.judge(minimum, arrived: 30, isLimited: true))
        verdicts.append(floor.judge(minimum, arrived: 40, isLimited: false))
        verdicts.append(floor.judge(minimum, arrived: 59, isLimited: false))
        #expect(verdicts == [false, false, false, true])
    }
}
