import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTestSupport
import Testing

@Suite(.mostlyWaits) struct TransferFailureTests {
    let transport = CurlTransport(loopCount: 1)

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: TransportError.Kind
        let bodyCount: Int
        let answer: TestServer.Handler

        init(
            _ what: String,
            _ kind: TransportError.Kind,
            keeping bodyCount: Int = 0,
            answer: @escaping TestServer.Handler
        ) {
            (testDescription, self.kind, self.bodyCount, self.answer) = (what, kind, bodyCount, answer)
        }
    }

    @Test(arguments: [
        Fault("a cut", .broken, keeping: 600) { .file(thousand, for: $0).cut(after: 600) },
        Fault("silence in place of a head", .headTimeout) { _ in .silence },
        Fault("a dripped head", .headTimeout) {
            .file([1], for: $0).dripped(bytes: 1, every: .milliseconds(50), includingHead: true)
        },
        Fault("endless fields", .headTooLarge) { _ in .endless(.fields) },
        Fault("endless interim responses", .headTooLarge) { _ in .endless(.interim) },
        Fault("another protocol", .malformedResponse) { _ in .raw("SSH-2.0-OpenSSH_9.2\r\n") },
        Fault("a malformed chunk", .malformedChunks) { _ in
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        },
        Fault("no response", .emptyReply) { _ in .hangUp },
    ])
    func whatTheServerDoesIsTold(fault: Fault) async throws {
        let limit = Duration.milliseconds(fault.kind == .headTimeout ? 300 : 120_000)
        let got = try await failure(stallTimeout: limit, fault.answer)
        #expect(got.error?.kind == fault.kind && got.body.count == fault.bodyCount, "\(got.ends), \(got.body.count)")
    }

    private static let thousand = TestBytes.random(count: 1_000)

    private func failure(
        stallTimeout: Duration,
        unlessLate isLate: (CollectingSink.Contents) -> Bool = { _ in false },
        _ handler: @escaping TestServer.Handler
    ) async throws -> CollectingSink.Contents {
        // Again for as long as the machine is so busy that the server is late for the limit. Only a hang lasts.
        let end = ContinuousClock.now + .hang
        while true {
            let server = try TestServer(handler)
            let settings = TransportSettings(stallTimeout: stallTimeout)
            let got = try await transport.fetch(TransportRequest(server.url("/file"), settings: settings))
            if !isLate(got) || ContinuousClock.now >= end { return got }
        }
    }

    /// libcurl would send the request without the option, or with a part of it: without its password, or from another
    /// interface.
    @Test func whatLibcurlRefusesIsNotLeftOut() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let long = String(repeating: "x", count: 9_000_000)
        let requests = [
            try TransportRequest(server.url("/f"), credentials: Credentials(user: "u", password: long)),
            try TransportRequest(server.url("/f"), settings: TransportSettings(networkInterface: "lo\0x")),
            try TransportRequest(server.url("/f"), settings: TransportSettings(certificateAuthorities: "/ca\0.pem")),
        ]
        #expect(try await transport.fetch(try TransportRequest(server.url("/first"))).body == [1, 2, 3])
        for request in requests {
            let got = try await transport.fetch(request)
            #expect(got.error?.kind == .other(43) && got.ends.count == 1, "\(got.ends)")
        }
        #expect(try await transport.fetch(try TransportRequest(server.url("/last"))).body == [1, 2, 3])
        #expect(server.requests.map(\.path) == ["/first", "/last"])
    }

    @Test func aResetKeepsTheBytesBeforeIt() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.thousand, for: $0).gated(after: 600, gate).reset(after: 600) }
        let sink = CollectingSink()
        // Beside all other tests, this one may wait longer than the usual time for its turn.
        let settings = TransportSettings(stallTimeout: .seconds(900))
        transport.start(try TransportRequest(server.url("/file"), settings: settings), sink: sink)
        try await sink.received(600)
        gate.open()
        let got = try await sink.ended()
        #expect(got.error?.kind == .broken && got.body.count == 600)
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

    @Test func aDrippedBodyDoesNotTimeOut() async throws {
        let got = try await failure(stallTimeout: .seconds(2), unlessLate: { !$0.isComplete }) {
            .file(TestBytes.random(count: 10), for: $0).dripped(bytes: 1, every: .milliseconds(300))
        }
        #expect(got.isComplete && got.body.count == 10, "\(got.ends), \(got.body.count)")
    }

    @Test func whoCannotBeReachedIsToldApart() async throws {
        let (refusing, unanswering) = (try DeadPort(.refusing), try DeadPort(.unanswering))
        let refused = try await transport.fetch(TransportRequest(refusing.url())).error
        #expect(refused?.kind == .connectionFailed && refused?.systemReason == "Connection refused")
        let unknown = try #require(URL(string: "http://nothing-here.invalid/"))
        #expect(try await transport.fetch(TransportRequest(unknown)).error?.kind == .hostNotFound)
        let settings = TransportSettings(connectTimeout: .milliseconds(200))
        let request = try TransportRequest(unanswering.url(), settings: settings)
        #expect(try await transport.fetch(request).error?.kind == .connectTimeout)
    }

    /// Most of them wait for the first one's connection, to share it.
    @Test(arguments: [false, true]) func eachOfManyHasTheLimitOfConnecting(isAccepted: Bool) async throws {
        // A server without TLS waits for the rest of a request.
        let server = try TestServer { _ in .silence }
        let port = try DeadPort(.unanswering)
        let plain = isAccepted ? server.url("/file") : port.url("/file")
        let url = try #require(URL(string: "https" + plain.absoluteString.dropFirst("http".count)))
        let settings = TransportSettings(connectTimeout: .seconds(1), stallTimeout: .seconds(120))
        let request = try TransportRequest(url, isOneOfMany: true, settings: settings)
        // Who has seen no small body waits for nobody.
        let other = try TestServer { .file([1], for: $0) }
        #expect(try await transport.fetch(TransportRequest(other.url("/small"))).isComplete)
        let start = ContinuousClock.now
        // One after the other, they would take longer than the busiest machine.
        let sinks = (0..<120).map { _ in CollectingSink() }
        for sink in sinks { transport.start(request, sink: sink) }
        for sink in sinks { #expect(try await sink.ended().error?.kind == .connectTimeout) }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    /// Also if a block is delivered because it is old, not because it is full.
    @Test(arguments: [false, true]) func aSinkCanStopTheTransfer(hasStalled: Bool) async throws {
        let server = try TestServer {
            hasStalled ? .file(Self.thousand, for: $0).stalled(after: 700) : .endless(.body)
        }
        let sink = CollectingSink(onBytes: { _ in false })
        #expect(try await transport.fetch(TransportRequest(server.url("/file")), into: sink).isStopped)
    }

    @Test func anUnwantedEndlessBodyIsNotReadForever() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let got = try await transport.fetch(TransportRequest(server.url("/file")), into: CollectingSink(.discard))
        #expect(got.isStopped && got.body.isEmpty)
    }
}
