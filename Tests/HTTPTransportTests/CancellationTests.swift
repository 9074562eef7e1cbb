import Foundation
import HTTPResumption
import HTTPTransport
import TestSupport
import Testing

/// A cancelled transfer ends promptly, and its sink receives one end.
@Suite(.takesTurns) struct CancellationTests {
    let transport = CurlTransport(loopCount: 1)

    private func cancel(_ transfer: any Transfer, _ sink: CollectingSink) async throws -> CollectingSink.Contents {
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
        let sink = CollectingSink()
        _ = try await cancel(transport.start(try TransportRequest(port.url()), sink: sink), sink)
    }

    @Test func whileWaitingForTheHead() async throws {
        let server = try TestServer { _ in .silence }
        let sink = CollectingSink()
        let transfer = transport.start(try TransportRequest(server.url("/file")), sink: sink)
        try await server.waitForRequests(1)
        _ = try await cancel(transfer, sink)
    }

    @Test func withinTheBodyKeepsItsBytes() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0).stalled(after: 700) }
        let sink = CollectingSink()
        let transfer = transport.start(try TransportRequest(server.url("/file")), sink: sink)
        try await sink.received(700)
        #expect(try await cancel(transfer, sink).body.count == 700)
    }

    @Test func afterTheEndItDoesNothing() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let sink = CollectingSink()
        let transfer = transport.start(try TransportRequest(server.url("/file")), sink: sink)
        _ = try await sink.ended()
        transfer.cancel()
        let other = CollectingSink()
        transport.start(try TransportRequest(server.url("/file")), sink: other)
        _ = try await other.ended()
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
