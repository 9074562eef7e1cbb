import Foundation
import Spate
import TestSupport
import Testing

/// Every number and time that a program or a server can give, at its ends.
@Suite(.takesTurns) struct ExtremeValueTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let configure: @Sendable (inout DownloadManager.Configuration) -> Void

        init(_ name: String, _ configure: @escaping @Sendable (inout DownloadManager.Configuration) -> Void) {
            testDescription = name
            self.configure = configure
        }
    }

    private static let times: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .seconds(Int64.max),
    ]
    private static let counts = [Int.min, -1, 0, .max]

    /// Times that end an attempt are tested where they are long: no attempt succeeds within none.
    static let changes: [Change] =
        counts.flatMap { count in
            [
                Change("maxConcurrentDownloads \(count)") { $0.maxConcurrentDownloads = count },
                Change("retry.maxRetriesWithoutProgress \(count)") { $0.retry.maxRetriesWithoutProgress = count },
            ]
        }
        + times.flatMap { time in
            [
                Change("retry.firstDelay \(time)") { $0.retry.firstDelay = time },
                Change("retry.maximumDelay \(time)") { $0.retry.maximumDelay = time },
                Change("retry.maximumRetryAfter \(time)") { $0.retry.maximumRetryAfter = time },
                Change("syncInterval \(time)") { $0.syncInterval = time },
            ]
        }
        + [
            Change("connectTimeout") { $0.connectTimeout = .seconds(Int64.max) },
            Change("stallTimeout") { $0.stallTimeout = .seconds(Int64.max) },
            Change("all at once") {
                $0.retry.firstDelay = .seconds(Int64.max)
                $0.retry.maximumDelay = .seconds(Int64.max)
                $0.retry.maximumRetryAfter = .seconds(Int64.max)
            },
        ]

    @Test(arguments: changes) func aDownloadIsRetriedAndFinishes(change: Change) async throws {
        let server = try TestServer { request in
            request.visit == 1
                ? .status(503, fields: ["Retry-After": "9223372036854775807"], body: "") : .file([1, 2], for: request)
        }
        let test = try TestManager {
            $0.retry.maximumRetryAfter = .milliseconds(50)
            change.configure(&$0)
        }
        let url = server.url("/f")
        let download = test.manager.download(url)
        for await case .state(let state) in download.events {
            // The wait may be centuries.
            if case .waiting(.retry) = state { download.resume() }
        }
        if case .failed = download.state { _ = try await test.manager.download(url).ended().get() }
        #expect(try test.bytes("f") == [1, 2])
        for await (_, result) in test.manager.results(of: [url]) { _ = try result.get() }
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
