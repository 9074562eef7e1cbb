import Foundation
import SpateHTTPResumption
import SpateHTTPTransport
import SpateTestSupport
import Testing

/// Transfers with a limited rate.
@Suite(.mostlyWaits) struct RateTests {
    private let transport = CurlTransport(loopCount: 2)

    private func request(_ server: TestServer, _ rate: RateShare) throws -> TransportRequest {
        let authority = server.tls == nil ? nil : try TestCertificates.authority.path
        return try TransportRequest(server.url("/file"), rate: rate, settings: .patient(trusting: authority))
    }

    @Test(arguments: [false, true]) func aBodyTakesItsTime(isChunked: Bool) async throws {
        let bytes = TestBytes.random(count: 1_000_000)
        let server = try TestServer {
            let reply = Reply.file(bytes, for: $0)
            return isChunked ? reply.chunked(size: 5_000) : reply
        }
        let start = ContinuousClock.now
        let got = try await transport.fetch(request(server, RateShare(of: RateLimit(2_500_000))))
        #expect(got.isComplete && got.body == bytes)
        #expect(ContinuousClock.now - start >= .milliseconds(400))
    }

    /// Limited or not.
    @Test(arguments: [nil, 1 << 40]) func whatComesIsCountedForAllAndForItsHost(bytesPerSecond: Int64?) async throws {
        let server = try TestServer { .file(TestBytes.random(count: 100_000), for: $0) }
        let (limit, arrivals) = (RateLimit(bytesPerSecond), ArrivalCount())
        for _ in 0..<2 {
            let request = try TransportRequest(server.url("/file"), rate: RateShare(of: limit), arrivals: arrivals)
            _ = try await transport.fetch(request)
        }
        #expect(limit.arrived.take() == 200_000 && arrivals.take() == 200_000)
        #expect(limit.arrived.take() == 0 && arrivals.take() == 0)
    }

    @Test(.enabled(if: ServerTLS.isPossible)) func pausesLoseNothingOverTLS() async throws {
        let bytes = TestBytes.random(count: 1_000_000)
        let server = try TestServer(tls: .good) { .file(bytes, for: $0) }
        let got = try await transport.fetch(request(server, RateShare(of: RateLimit(), ownLimit: 2_500_000)))
        #expect(got.isComplete && got.body == bytes)
    }

    @Test func withoutTheLimitItGoesOnAtOnce() async throws {
        let bytes = TestBytes.random(count: 1_000_000)
        let server = try TestServer { .file(bytes, for: $0) }
        // Ten days.
        let limit = RateLimit(1)
        let sink = CollectingSink()
        transport.start(try request(server, RateShare(of: limit)), sink: sink)
        try await sink.received(1)
        limit.bytesPerSecond = nil
        let got = try await sink.ended()
        #expect(got.isComplete && got.body == bytes)
    }

    @Test func aPausedTransferIsCancelled() async throws {
        let server = try TestServer { .file([UInt8](repeating: 7, count: 1_000), for: $0) }
        let sink = CollectingSink()
        let transfer = transport.start(try request(server, RateShare(of: RateLimit(1))), sink: sink)
        try await sink.received(1)
        transfer.cancel()
        let got = try await sink.ended()
        #expect(got.isCancelled && got.body.allSatisfy { $0 == 7 })
    }

    /// Bytes of a broken connection are kept. Newer versions of libcurl drop the bytes that they held during the pause.
    @Test func aCutIsSeenAfterThePause() async throws {
        let bytes = TestBytes.random(count: 300_000)
        let server = try TestServer { .file(bytes, for: $0).cut(after: 200_000) }
        let got = try await transport.fetch(request(server, RateShare(of: RateLimit(1_000_000))))
        #expect(got.error?.kind == .broken && !got.body.isEmpty && bytes.starts(with: got.body))
    }
}
