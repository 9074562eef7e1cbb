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
        { $0.retry.maxRetriesWithoutProgress = Int($1) },
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
