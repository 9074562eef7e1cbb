import Foundation
import HTTPResumption
import HTTPTransport
import TestSupport
import Testing

@Suite struct TransferFailureTests {
    let transport = CurlTransport(loopCount: 1)

    private func failure(
        stallTimeout: Duration = .seconds(120),
        _ handler: @escaping TestServer.Handler
    ) async throws -> CollectingSink.Contents {
        let server = try TestServer(handler)
        let sink = CollectingSink()
        transport.start(try TransportRequest(server.url("/file"), stallTimeout: stallTimeout), sink: sink)
        return try await sink.ended()
    }

    @Test func aCutKeepsTheBytesBeforeIt() async throws {
        let got = try await failure { .file(TestBytes.random(count: 1000), for: $0).cut(after: 600) }
        #expect(got.error?.kind == .broken && got.body.count == 600)
    }

    @Test func aResetKeepsTheBytesBeforeIt() async throws {
        let gate = try Gate()
        let server = try TestServer {
            .file(TestBytes.random(count: 1000), for: $0).gated(after: 600, gate).reset(after: 600)
        }
        let sink = CollectingSink()
        transport.start(try TransportRequest(server.url("/file")), sink: sink)
        try await sink.received(600)
        gate.open()
        let got = try await sink.ended()
        #expect(got.error?.kind == .broken && got.body.count == 600)
    }

    // The limits are seconds, for a busy machine may hold up the server for a good part of one.

    @Test func aStalledBodyEndsInTime() async throws {
        let got = try await failure(stallTimeout: .seconds(2)) {
            .file(TestBytes.random(count: 1000), for: $0).stalled(after: 5)
        }
        #expect(got.error?.kind == .stalled && got.body.count == 5, "\(got.ends), \(got.body.count)")
    }

    @Test func silenceInsteadOfAHeadEndsInTime() async throws {
        let got = try await failure(stallTimeout: .milliseconds(200)) { _ in .silence }
        #expect(got.error?.kind == .headTimeout)
    }

    @Test func aDrippedHeadEndsInTime() async throws {
        let got = try await failure(stallTimeout: .milliseconds(300)) {
            .file([1], for: $0).dripped(bytes: 1, every: .milliseconds(50), includingHead: true)
        }
        #expect(got.error?.kind == .headTimeout)
    }

    @Test func aDrippedBodyIsNoStall() async throws {
        let got = try await failure(stallTimeout: .seconds(2)) {
            .file(TestBytes.random(count: 10), for: $0).dripped(bytes: 1, every: .milliseconds(300))
        }
        #expect(got.isComplete && got.body.count == 10, "\(got.ends), \(got.body.count)")
    }

    @Test func endlessHeadersAreCapped() async throws {
        let got = try await failure { _ in .endless(.fields) }
        #expect(got.error?.kind == .headTooLarge)
    }

    @Test func endlessInterimResponsesAreCapped() async throws {
        let got = try await failure { _ in .endless(.interim) }
        #expect(got.error?.kind == .headTooLarge)
    }

    @Test func anotherProtocolIsNotTakenForHTTP() async throws {
        let got = try await failure { _ in .raw("SSH-2.0-OpenSSH_9.2\r\n") }
        #expect(got.error?.kind == .malformedResponse && got.body.isEmpty)
    }

    @Test func aMalformedChunkIsToldFromABrokenConnection() async throws {
        let got = try await failure { _ in
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        }
        #expect(got.error?.kind == .malformedChunks)
    }

    @Test func hangingUpWithoutAnAnswerIsAnEmptyReply() async throws {
        #expect(try await failure { _ in .hangUp }.error?.kind == .emptyReply)
    }

    @Test func aRefusedConnectionIsTold() async throws {
        let port = try DeadPort(.refusing)
        let sink = CollectingSink()
        transport.start(try TransportRequest(port.url()), sink: sink)
        #expect(try await sink.ended().error?.kind == .connectionFailed)
    }

    @Test func aHostWithoutAddressIsTold() async throws {
        let sink = CollectingSink()
        let url = try #require(URL(string: "http://nothing-here.invalid/"))
        transport.start(try TransportRequest(url), sink: sink)
        #expect(try await sink.ended().error?.kind == .hostNotFound)
    }

    @Test func connectingHasATimeLimit() async throws {
        let port = try DeadPort(.unanswering)
        var request = try TransportRequest(port.url())
        request.connectTimeout = .milliseconds(200)
        let sink = CollectingSink()
        transport.start(request, sink: sink)
        #expect(try await sink.ended().error?.kind == .connectTimeout)
    }

    @Test func aSinkThatHasEnoughEndsTheTransfer() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let sink = CollectingSink(onBytes: { _ in false })
        transport.start(try TransportRequest(server.url("/file")), sink: sink)
        #expect(try await sink.ended().isStopped)
    }

    @Test func anUnwantedEndlessBodyIsNotReadForEver() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let sink = CollectingSink(.discard)
        transport.start(try TransportRequest(server.url("/file")), sink: sink)
        let got = try await sink.ended()
        #expect(got.isStopped && got.body.isEmpty)
    }
}
