import Foundation
import Spate
import SpateTestSupport
import Testing

/// Every number and time that a program or a server can give, at its ends.
@Suite(.takesTurns) struct ExtremeValueTests {
    typealias Configuration = DownloadManager.Configuration

    /// Times that end an attempt are tested where they are long: no attempt succeeds within none.
    static let settings: [@Sendable (inout Configuration, Int64) -> Void] = [
        { $0.maxConcurrentDownloads = Int($1) },
        { $0.maxConnectionsPerHost = Int($1) },
        { $0.connectionsPerDownload = .exactly(Int($1)) },
        { $0.maxBytesPerSecond = $1 },
        { $0.retry.maxRetriesWithoutProgress = Int($1) },
        { $0.retry.maxRetriesOfUnknownName = Int($1) },
        { $0.retry.firstDelay = .seconds($1) },
        { $0.retry.maximumDelay = .seconds($1) },
        { $0.retry.maximumRetryAfter = .seconds($1) },
        { $0.syncInterval = .seconds($1) },
        { $0.connectTimeout = .seconds($1 > 0 ? $1 : 600) },
        { $0.stallTimeout = .seconds($1 > 0 ? $1 : 600) },
        { configuration, value in
            configuration.retry.firstDelay = .seconds(value)
            configuration.retry.maximumDelay = .seconds(value)
            configuration.retry.maximumRetryAfter = .seconds(value)
        },
    ]

    @Test(arguments: settings.indices, [Int64.min, -1, 0, .max])
    func aDownloadIsRetriedAndFinishes(setting: Int, value: Int64) async throws {
        let server = try TestServer { request in
            request.visit == 1
                ? .status(503, fields: ["Retry-After": "9223372036854775807"], body: "") : .file([1, 2], for: request)
        }
        let test = try TestManager {
            $0.retry.maximumRetryAfter = .milliseconds(50)
            Self.settings[setting](&$0, value)
        }
        let url = server.url("/f")
        let download = test.manager.download(url)
        for await case .state(let state) in download.events {
            // The wait may be centuries.
            if case .waiting(.retry) = state { download.resume() }
        }
        if case .failed = download.state { _ = try await test.manager.download(url).ended().get() }
        #expect(try test.bytes("f") == [1, 2])
    }

    static let times: [@Sendable (inout Configuration, Duration) -> Void] = [
        { $0.retry.firstDelay = $1 },
        { $0.retry.maximumDelay = $1 },
        { $0.retry.maximumRetryAfter = $1 },
        { $0.syncInterval = $1 },
        { $0.connectTimeout = max($1, .seconds(600)) },
        { $0.stallTimeout = max($1, .seconds(600)) },
        { $0.connectTimeout = $1 },
        { $0.stallTimeout = $1 },
    ]

    /// Such a time has no whole seconds that fit an `Int64`.
    @Test(arguments: times.indices, [Int128.min, .max])
    func aTimeBeyondAllSecondsIsOneToo(setting: Int, attoseconds: Int128) async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let test = try TestManager {
            $0.retry = .never
            Self.times[setting](&$0, Duration(attoseconds: attoseconds))
        }
        let end = try await test.manager.download(server.url("/f")).ended()
        // No attempt succeeds within none.
        let isNone = attoseconds < 0 && setting >= 6
        #expect((try? end.get()) != nil || isNone, "\(end)")
        #expect(DownloadFormat.time(Duration(attoseconds: attoseconds)).isEmpty == false)
        #expect(DownloadFormat.elapsed(Duration(attoseconds: attoseconds)).isEmpty == false)
        _ = try JSONEncoder().encode(test.manager.configuration.retry)
    }

    @Test(arguments: [Int.min, -1, 0, .max]) func filesAreVerifiedWithAnyNumberOfQuestions(count: Int) async throws {
        let server = try TestServer { .file(TestFile([1, 2], etag: "\"v1\""), for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = count }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        var options = VerificationOptions()
        (options.onlineRequest, options.maxConcurrentFiles) = ({ DownloadRequest($0) }, count)
        let stream = test.manager.verify(options)
        let answers = try await withDeadline {
            var answers: [Bool?] = []
            for await (_, result) in stream { answers.append(result.isCurrent) }
            return answers
        }
        #expect(answers == [true])
    }

    /// Two pieces, or one, of a file that is larger than any disk.
    @Test(
        arguments: [
            (9_223_372_036_854_775_807, 9_223_372_036_854_775_807),
            (9_223_372_036_854_775_807, 9_223_372_036_854_775_806),
            (9_223_372_036_854_775_807, 4_611_686_018_427_387_904),
            (9_223_372_036_854_775_806, 4_611_686_018_427_387_904),
        ] as [(Int64, Int64)]
    )
    func aMetalinkOfAHugeFileIsAnError(size: Int64, length: Int64) async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let test = try TestManager { $0.retry = .never }
        try Data([1, 2]).write(to: test.folder.url("copy"))
        let hash = "<hash>\(String(repeating: "ab", count: 32))</hash>"
        let document = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><size>\(size)</size>\
            <pieces type="sha-256" length="\(length)">\(length < size ? hash + hash : hash)</pieces>\
            <url>\(server.url("/f"))</url></file></metalink>
            """
        let file = try #require(try Metalink(Data(document.utf8)).files.first)
        #expect(file.pieceLength == length)
        let request = try #require(test.manager.request(for: file))
        let repair = test.manager.repair(request, from: test.folder.url("copy"))
        #expect(try await repair.ended().error != nil)
        #expect(try await test.manager.download(request).ended().error != nil)
        #expect(!test.names.contains("f"))
    }

    /// What a server says of sizes: each an error, and none a file.
    @Test(
        arguments: [
            ("Content-Length", "9223372036854775807"),
            ("Content-Length", "9223372036854775808"),
            ("Content-Range", "bytes 0-9223372036854775806/9223372036854775807"),
            ("Content-Range", "bytes 0-9223372036854775807/*"),
            ("Content-Range", "bytes 9223372036854775806-9223372036854775806/*"),
        ] as [(String, String)]
    )
    func aSizeBeyondAllDisksIsAnError(name: String, value: String) async throws {
        let server = try TestServer { request in
            let status = name == "Content-Length" ? 200 : 206
            // A part answers the second request, for what the first did not bring.
            if status == 206, request.visit == 1 {
                return Reply.file(TestFile(Array(repeating: 7, count: 100_000), etag: "\"v1\""), for: request)
                    .cut(after: 70_000)
            }
            return .status(status, fields: [name: value, "ETag": "\"v1\""], body: "ab")
        }
        let test = try TestManager { $0.retry = .never }
        #expect(try await test.manager.download(server.url("/f")).ended().error != nil)
        #expect(try await test.manager.download(server.url("/f")).ended().error != nil)
        #expect(!test.names.contains("f"))
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max]) func aSizeThatWasGivenIsHeldOrAnError(size: Int64) async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let test = try TestManager { $0.retry = .never }
        var request = DownloadRequest(server.url("/f"))
        request.expectedBytes = size
        #expect(try await test.manager.download(request).ended().error?.code != nil)
        request.expectedBytes = nil
        request.maximumBytes = size
        let error = try await test.manager.download(request).ended().error
        #expect((error == nil) == (size >= 2))
    }

    /// The body says no length, and its first half is compared with what is on disk.
    @Test(arguments: [Int64.min, -1, 0]) func aLargestSizeBelowZeroEndsAComparedBodyToo(size: Int64) async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let server = try TestServer { request in
            let reply = Reply.status(200, body: text).chunked()
            return request.visit == 1 ? reply.cut(after: 100_000) : reply
        }
        let test = try TestManager { $0.retry = .never }
        var request = DownloadRequest(server.url("/f"))
        let first = try await test.manager.download(request).ended().error
        #expect(first?.keptPartialFile == true)
        request.maximumBytes = size
        #expect(try await test.manager.download(request).ended().error?.code == .tooLarge)
    }
}
