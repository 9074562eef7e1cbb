import SpateTestSupport
import Testing

@testable import Spate

/// What stops the fetch of a Metalink that a server names, and what limits it.
@Suite(.takesTurns) struct ServerMetalinkLimitTests: MetalinkOrigins {
    @Test func aPauseStopsTheDocument() async throws {
        let gate = try Gate()
        let origin = try MetalinkOrigin(metalink: { request, reply in
            request.visit == 1 ? reply.gated(after: 10, gate) : reply
        })
        origin.describe([])
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        try await gate.reached()
        download.pause()
        try await eventually("the connection is closed") { origin.server.openConnections == 0 }
        #expect(test.names.isEmpty)
        download.resume()
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == PiecedFile.content && download.remarks.isEmpty)
        #expect(origin.paths.count { $0 == "/d/f.meta4" } == 2)
    }

    @Test(arguments: [true, false]) func anEndStopsTheDocument(isDeleted: Bool) async throws {
        let gate = try Gate()
        let origin = try MetalinkOrigin(metalink: { _, reply in reply.gated(after: 0, gate) })
        origin.describe([])
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        try await gate.reached()
        isDeleted ? try download.delete() : download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await eventually("the connection is closed") { origin.server.openConnections == 0 }
        try await test.filesAreClosed()
        #expect(test.names.isEmpty && origin.paths == ["/d/f", "/d/f.meta4"])
    }

    /// The attempt's own slot and connection are enough.
    @Test func oneSlotAndOneConnectionAreEnough() async throws {
        let origins = try (0..<3).map { _ in try MetalinkOrigin() }
        let test = try manager { ($0.maxConcurrentDownloads, $0.maxConnectionsPerHost) = (1, 1) }
        for origin in origins { origin.describe([]) }
        for download in test.manager.download(origins.map { request($0.url) }) {
            _ = try await download.ended().get()
            // The three files have the same name.
            #expect(download.remarks.allSatisfy { $0 == .nameTaken("f") })
        }
    }

    /// What the host says to the request for the document holds for the file, too.
    @Test func aHostThatAsksToWaitIsLeftAlone() async throws {
        let origin = try MetalinkOrigin(metalink: { _, _ in .status(429, fields: ["Retry-After": "1"]) })
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(origin.paths == ["/d/f", "/d/f.meta4", "/d/f"] && download.remarks.count == 1)
        let times = origin.server.requests.map(\.receivedAt)
        #expect(times[2] - times[1] > .milliseconds(900))
    }

    /// A document on a host without room is waited for, as the target of a redirect is.
    @Test func downloadsWhoseLinksNameOneDocumentTakeTurns() async throws {
        let gate = try Gate()
        let other = try MetalinkOrigin(metalink: { _, reply in reply.gated(after: 10, gate) })
        other.describe([])
        let link = "<\(other.server.url("/f.meta4"))>; rel=describedby; type=application/metalink4+xml"
        let origins = try (0..<2).map { _ in try MetalinkOrigin(link: link) }
        let test = try manager { $0.maxConnectionsPerHost = 1 }
        let downloads = origins.enumerated().map { number, origin in
            test.manager.download(request(origin.server.url("/\(number)")))
        }
        try await gate.reached()
        try await eventually("the other one waits") { downloads.contains { $0.waitsForHost } }
        gate.open()
        for download in downloads {
            _ = try await download.ended().get()
            // The three files have the same name.
            #expect(download.remarks.allSatisfy { $0 == .nameTaken("f") })
        }
        #expect(other.server.requests.count == 2 && other.server.mostAtOnce == 1)
    }
}
