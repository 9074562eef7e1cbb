import Foundation
import HTTPResumption
import HTTPTransport
import TestSupport
import Testing

@Suite(.takesTurns) struct TransferFailureTests {
    let transport = CurlTransport(loopCount: 1)

    private func failure(
        stallTimeout: Duration = .seconds(120),
        _ handler: @escaping TestServer.Handler
    ) async throws -> CollectingSink.Contents {
        let server = try TestServer(handler)
        return try await transport.fetch(TransportRequest(server.url("/file"), stallTimeout: stallTimeout))
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

    /// Fetches again for as long as the machine is so busy that the server is late for the limit. Only a hang lasts.
    private func failure(
        stallTimeout: Duration,
        unlessLate isLate: (CollectingSink.Contents) -> Bool,
        _ handler: @escaping TestServer.Handler
    ) async throws -> CollectingSink.Contents {
        let end = ContinuousClock.now + .hang
        var got = try await failure(stallTimeout: stallTimeout, handler)
        while isLate(got), ContinuousClock.now < end { got = try await failure(stallTimeout: stallTimeout, handler) }
        return got
    }

    @Test func aStalledBodyTimesOut() async throws {
        let got = try await failure(stallTimeout: .seconds(2), unlessLate: { $0.error?.kind == .headTimeout }) {
            .file(TestBytes.random(count: 1000), for: $0).stalled(after: 5)
        }
        #expect(got.error?.kind == .stalled && got.body.count == 5, "\(got.ends), \(got.body.count)")
    }

    @Test func drippedExtensionsAndTrailersAreAStall() async throws {
        try await together(["1\r\nx\r\n1;", "1\r\nx\r\n0\r\nX: "]) { beginning in
            let body = beginning + String(repeating: "x", count: 100)
            let got = try await failure(stallTimeout: .seconds(2), unlessLate: { $0.body.isEmpty }) { _ in
                .bytes(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], body)
                    .dripped(bytes: 1, every: .milliseconds(100)).cut(after: body.utf8.count)
            }
            #expect(got.error?.kind == .stalled && got.body.count == 1, "\(got.ends)")
        }
    }

    @Test func aMissingHeadTimesOut() async throws {
        let got = try await failure(stallTimeout: .milliseconds(200)) { _ in .silence }
        #expect(got.error?.kind == .headTimeout)
    }

    @Test func aDrippedHeadTimesOut() async throws {
        let got = try await failure(stallTimeout: .milliseconds(300)) {
            .file([1], for: $0).dripped(bytes: 1, every: .milliseconds(50), includingHead: true)
        }
        #expect(got.error?.kind == .headTimeout)
    }

    @Test func aDrippedBodyDoesNotTimeOut() async throws {
        let got = try await failure(stallTimeout: .seconds(2), unlessLate: { !$0.isComplete }) {
            .file(TestBytes.random(count: 10), for: $0).dripped(bytes: 1, every: .milliseconds(300))
        }
        #expect(got.isComplete && got.body.count == 10, "\(got.ends), \(got.body.count)")
    }

    @Test func endlessFieldsAreCapped() async throws {
        let got = try await failure { _ in .endless(.fields) }
        #expect(got.error?.kind == .headTooLarge)
    }

    @Test func endlessInterimResponsesAreCapped() async throws {
        let got = try await failure { _ in .endless(.interim) }
        #expect(got.error?.kind == .headTooLarge)
    }

    @Test func anotherProtocolIsAMalformedResponse() async throws {
        let got = try await failure { _ in .raw("SSH-2.0-OpenSSH_9.2\r\n") }
        #expect(got.error?.kind == .malformedResponse && got.body.isEmpty)
    }

    @Test func aMalformedChunkIsNoBrokenConnection() async throws {
        let got = try await failure { _ in
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        }
        #expect(got.error?.kind == .malformedChunks)
    }

    @Test func hangingUpWithoutAResponseIsAnEmptyReply() async throws {
        #expect(try await failure { _ in .hangUp }.error?.kind == .emptyReply)
    }

    @Test func aRefusedConnectionFails() async throws {
        let port = try DeadPort(.refusing)
        #expect(try await transport.fetch(TransportRequest(port.url())).error?.kind == .connectionFailed)
    }

    @Test func anUnknownHostIsNotFound() async throws {
        let url = try #require(URL(string: "http://nothing-here.invalid/"))
        #expect(try await transport.fetch(TransportRequest(url)).error?.kind == .hostNotFound)
    }

    @Test func connectingHasATimeLimit() async throws {
        let port = try DeadPort(.unanswering)
        var request = try TransportRequest(port.url())
        request.connectTimeout = .milliseconds(200)
        #expect(try await transport.fetch(request).error?.kind == .connectTimeout)
    }

    @Test func aSinkCanStopTheTransfer() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let sink = CollectingSink(onBytes: { _ in false })
        #expect(try await transport.fetch(TransportRequest(server.url("/file")), into: sink).isStopped)
    }

    /// A block that is delivered because it is old, not because it is full.
    @Test func aSinkCanStopATransferThatHasStalled() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1_000), for: $0).stalled(after: 700) }
        let sink = CollectingSink(onBytes: { _ in false })
        #expect(try await transport.fetch(TransportRequest(server.url("/file")), into: sink).isStopped)
    }

    @Test func anUnwantedEndlessBodyIsNotReadForever() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let got = try await transport.fetch(TransportRequest(server.url("/file")), into: CollectingSink(.discard))
        #expect(got.isStopped && got.body.isEmpty)
    }
}
