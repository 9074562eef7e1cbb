import Foundation
import SpateHTTPResumption
import SpateHTTPTransport
import SpateTestSupport
import Testing

/// A cancelled transfer ends promptly, and its sink receives one end.
@Suite(.takesTurns) struct CancellationTests {
    let transport = CurlTransport(loopCount: 1)
    private let sink = CollectingSink()

    private func start(_ url: URL) throws -> any Transfer {
        // Beside all other tests, this one may wait longer than the usual time for its turn.
        let settings = TransportSettings(stallTimeout: .seconds(900))
        return transport.start(try TransportRequest(url, settings: settings), sink: sink)
    }

    private func cancel(_ transfer: any Transfer) async throws -> CollectingSink.Contents {
        let count = await ticks(until: { !sink.value.ends.isEmpty }) {
            transfer.cancel()
            transfer.cancel()
        }
        // The promise is 100 ms, and a sanitizer makes everything several times slower.
        #expect(count <= (Sanitizer.isPresent ? 500 : 100))
        let got = sink.value
        #expect(got.isCancelled && got.ends.count == 1)
        return got
    }

    @Test func whileConnecting() async throws {
        let port = try DeadPort(.unanswering)
        _ = try await cancel(start(port.url()))
    }

    @Test func whileWaitingForTheHead() async throws {
        let server = try TestServer { _ in .silence }
        let transfer = try start(server.url("/file"))
        try await server.waitForRequests(1)
        _ = try await cancel(transfer)
    }

    @Test func withinTheBodyKeepsItsBytes() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0).stalled(after: 700) }
        let transfer = try start(server.url("/file"))
        try await sink.received(700)
        #expect(try await cancel(transfer).body.count == 700)
    }

    @Test func afterTheEndItDoesNothing() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let transfer = try start(server.url("/file"))
        _ = try await sink.ended()
        transfer.cancel()
        _ = try await transport.fetch(TransportRequest(server.url("/file")))
        #expect(sink.value.ends.count == 1 && sink.value.isComplete)
    }

    @Test func ofManyAtOnceEndsEachOnce() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 100_000), for: $0) }
        var sinks: [CollectingSink] = []
        for _ in 0..<100 {
            let sink = CollectingSink()
            let transfer = transport.start(try TransportRequest(server.url("/file")), sink: sink)
            sinks.append(sink)
            if Bool.random() { transfer.cancel() }
        }
        for sink in sinks {
            let got = try await sink.ended()
            #expect(got.ends.count == 1 && (got.isCancelled || got.body.count == 100_000))
        }
    }
}
