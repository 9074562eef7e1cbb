import HTTPTransport
import TestSupport
import Testing

/// How many connections transfers take that each begin when another has ended.
@Suite struct ConnectionReuseTests {

    @Test(arguments: [1, 3]) func thereAreNoMoreConnectionsThanTransfersAtOnce(width: Int) async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let transport = CurlTransport(loopCount: 4)
        let request = try TransportRequest(server.url("/file"))
        let chains = (0..<width).map { _ in TransferChain(of: request, length: 40, on: transport) }
        for chain in chains { chain.startNext() }
        for chain in chains { #expect(try await chain.ended() == 40) }
        #expect(server.connectionCount <= width)
    }
}
