import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// `Configuration.accept`: the program sees the head of a response before any of its bytes is used.
@Suite(.takesTurns) struct AcceptTests {
    private struct NotWanted: LocalizedError {
        let reason: String
        var errorDescription: String? { reason }
    }

    private static let bytes = TestBytes.random(count: 300_000)

    @Test func whatItDoesNotWantIsNotFetched() async throws {
        let server = try TestServer { .file(Self.bytes, for: $0).addingField("X-Kind", "page") }
        let test = try TestManager {
            $0.retry = .never
            $0.accept = { request, response in
                #expect(request.url == response.url && response.statusCode == 200)
                throw NotWanted(reason: "It is a \(response["X-Kind"] ?? "").")
            }
        }
        let download = test.manager.download(server.url("/f"))
        let error = try #require(try await download.ended().error)
        #expect(error.code == .badResponse && !error.isRetryable && error.underlying is NotWanted)
        #expect(error.message == "The response was not accepted (It is a page). Check the URL, or what accept demands.")
        #expect(download.progress.receivedBytes == 0 && test.names == [])
    }

    /// A `DownloadError` says itself whether another try may help, and a mirror may have what is wanted.
    @Test func itsOwnErrorDecidesAboutRetries() async throws {
        let server = try TestServer { .file(Self.bytes, for: $0).addingField("X-Visit", "\($0.visit)") }
        let test = try TestManager {
            $0.retry = RetryPolicy(firstDelay: .zero, maximumDelay: .zero)
            $0.accept = { _, response in
                if response["X-Visit"] == "1" { throw DownloadError(.badResponse, "Not yet.", isRetryable: true) }
            }
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.count == 2)
        #expect(try test.bytes("f") == Self.bytes)

        let page = try TestServer { .file(Array("<html>".utf8), for: $0).addingField("X-Visit", "1") }
        var request = DownloadRequest(page.url("/g"))
        request.mirrors = [server.url("/f")]
        let mirrored = test.manager.download(request)
        _ = try await mirrored.ended().get()
        #expect(mirrored.response?.url == server.url("/f"))
        #expect(try test.bytes("g") == Self.bytes)
    }

    /// It is asked again when a file goes on, but not about redirects, refusals and helpers. What is there stays.
    @Test func itIsAskedAboutEachResponseWithTheFile() async throws {
        let server = try TestServer { request in
            switch (request.path, request.visit) {
            case ("/f", 1): .file(Self.bytes, etag: "\"a\"", for: request).cut(after: 100_000)
            case ("/f", 2): .status(503)
            case ("/f", 3): .redirect(to: "/g")
            default: .file(Self.bytes, etag: "\"a\"", for: request)
            }
        }
        let (statuses, isRefusing) = (Locked<[Int]>([]), Watched(true))
        let test = try TestManager {
            $0.retry = RetryPolicy(firstDelay: .zero, maximumDelay: .zero)
            $0.accept = { _, response in
                statuses.withLock { $0.append(response.statusCode) }
                if response.statusCode == 206, isRefusing.value { throw NotWanted(reason: "no") }
            }
        }
        #expect(try await test.manager.download(server.url("/f")).ended().error?.keptPartialFile == true)
        let part = try #require(try test.manager.storedDownloads().first)
        #expect(part.isPartial && part.receivedBytes == 100_000)
        isRefusing.update { $0 = false }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(statuses.withLock { $0 } == [200, 206, 206])
        #expect(try test.bytes("f") == Self.bytes)
    }

    /// An update that is not wanted leaves the finished file.
    @Test func theFinishedFileStays() async throws {
        let server = try TestServer { .file(Array(Self.bytes.prefix(1_000 * $0.visit)), for: $0) }
        let isRefusing = Watched(false)
        let test = try TestManager {
            $0.retry = .never
            $0.accept = { _, _ in if isRefusing.value { throw NotWanted(reason: "no") } }
        }
        var request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.download(request).ended().get()
        isRefusing.update { $0 = true }
        request.checksForUpdate = true
        #expect(try await test.manager.download(request).ended().error?.code == .badResponse)
        #expect(try test.bytes("f") == Array(Self.bytes.prefix(1_000)))
        #expect(test.names == ["f"])
    }
}
