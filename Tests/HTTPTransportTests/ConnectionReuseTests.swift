import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct ConnectionReuseTests {
    @Test(arguments: [1, 3], [false, true])
    func transfersOneAfterAnotherShareAConnection(width: Int, isOneOfMany: Bool) async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let transport = CurlTransport(loopCount: 4)
        let request = try TransportRequest(server.url("/file"), isOneOfMany: isOneOfMany)
        let chains = (0..<width).map { _ in TransferChain(of: request, length: 40, on: transport) }
        for chain in chains { chain.startNext() }
        for chain in chains { #expect(try await chain.ended() == 40) }
        #expect(server.connectionCount <= width)
    }

    /// The server closes each connection at the second request, as one does whose time has come at that moment. libcurl
    /// (before 8.17) counts over the life of its handle how often it requests again, and gives up after five.
    @Test func connectionsMayBeLostAnyNumberOfTimes() async throws {
        let server = try TestServer { $0.turn == 1 ? .file([1], for: $0) : .hangUp }
        let transport = CurlTransport(loopCount: 1)
        let request = try TransportRequest(server.url("/file"))
        for number in 1...20 { #expect(try await transport.fetch(request).isComplete, "file \(number)") }
        #expect(server.connectionCount == 20)
    }

    /// A server may slow down whoever has many connections open, whether they are used or not.
    @Test(arguments: [false, true]) func connectionsThatAreIdleAreClosedIfTheyAreNotNeeded(areNeeded: Bool) async throws
    {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file([1, 2, 3, 4], for: request)
            return request.path == "/held"
                ? reply.heldBack(by: gate) : reply.dripped(bytes: 1, every: .milliseconds(50))
        }
        let transport = CurlTransport(loopCount: 1)
        func chains(_ path: String, width: Int, length: Int) throws -> [TransferChain] {
            let request = try TransportRequest(server.url(path), closesIdleConnections: !areNeeded)
            let chains = (0..<width).map { _ in TransferChain(of: request, length: length, on: transport) }
            for chain in chains { chain.startNext() }
            return chains
        }
        // So many stay open beside one transfer.
        let held = try chains("/held", width: 4, length: 1)
        try await gate.reached(times: 4)
        #expect(server.openConnections == 4)
        gate.open()
        for chain in held { #expect(try await chain.ended() == 1) }
        // Some four seconds.
        for chain in try chains("/slow", width: 1, length: 20) { #expect(try await chain.ended() == 20) }
        #expect(areNeeded ? server.openConnections == 4 : server.openConnections <= 2)
    }

    /// The first transfer opens the connection that the second one loses after a while. Then its time begins anew.
    @Test(.enabled(if: ServerTLS.isPossibleOverHTTP2, "\(ServerTLS.requirement)"))
    func whatIsRequestedAgainHasItsWholeTime() async throws {
        let gates = try [Gate(), Gate()]
        let server = try TestServer(tls: ServerTLS(versions: .http2)) { request in
            let reply = Reply.file([1], for: request)
            return switch request.sequence {
            case 1: reply
            case 2: Reply.hangUp.heldBack(by: gates[0])
            default: reply.heldBack(by: gates[1])
            }
        }
        let transport = CurlTransport(loopCount: 1)
        let authority = try TestCertificates.authority.path
        let settings = TransportSettings(stallTimeout: .seconds(10), certificateAuthorities: authority)
        let request = try TransportRequest(server.url("/file"), settings: settings)
        #expect(try await transport.fetch(request).isComplete)
        async let second = transport.fetch(request)
        for gate in gates {
            try await gate.reached(times: 1)
            try await Task.sleep(for: .seconds(6))
            gate.open()
        }
        #expect(try await second.isComplete)
        #expect(server.requests.count == 3)
    }

    /// libcurl (up to 8.23) keeps in its handle that a stream was refused, and would request what follows once too often.
    @Test(.enabled(if: ServerTLS.isPossibleOverHTTP2, "\(ServerTLS.requirement)"))
    func aRefusedStreamLeavesNothingBehind() async throws {
        let refusing = try TestServer(tls: ServerTLS(versions: .http2)) {
            .file(TestBytes.random(count: 100), for: $0).resetStream(after: 10, code: 7)
        }
        let silent = try TestServer { _ in .hangUp }
        let transport = CurlTransport(loopCount: 1)
        let settings = TransportSettings.patient(trusting: try TestCertificates.authority.path)
        let refused = try await transport.fetch(TransportRequest(refusing.url("/file"), settings: settings))
        #expect(refused.error?.kind == .broken && refused.body.count == 10)
        #expect(try await transport.fetch(TransportRequest(silent.url("/file"))).error?.kind == .emptyReply)
        #expect(silent.requests.count == 1)
    }

    @Test(.enabled(if: NginxServer.isPossible, "\(NginxServer.requirement)"), arguments: [NginxServer.Way.http2, .tls])
    func onlyOverHTTP2DoSmallTransfersShareAConnection(way: NginxServer.Way) async throws {
        let server = try await NginxServer([way])
        try server.put([1, 2, 3], as: "file")
        let transport = CurlTransport(loopCount: 4)
        let settings = TransportSettings.patient(trusting: try TestCertificates.authority.path)
        let request = try TransportRequest(server.url("/file"), isOneOfMany: true, settings: settings)
        // Until then, a list's files may be large.
        let first = TransferChain(of: request, length: 1, on: transport)
        first.startNext()
        #expect(try await first.ended() == 1)
        let chains = (0..<20).map { _ in TransferChain(of: request, length: 10, on: transport) }
        for chain in chains { chain.startNext() }
        for chain in chains { #expect(try await chain.ended() == 10) }
        let connections = Set(try await server.waitForLog(201).map(\.connection)).count
        #expect(way == .http2 ? connections == 1 : connections > 1, "\(connections) connections")
    }

    /// They would share what TCP gives to one connection. The next ones find the connections of the first.
    @Test(.enabled(if: NginxServer.isPossible, "\(NginxServer.requirement)"))
    func largeTransfersOverHTTP2HaveConnectionsOfTheirOwn() async throws {
        let server = try await NginxServer([.http2], settings: NginxSettings(server: "limit_rate 20m;"))
        try server.put(TestBytes.random(count: 1 << 20), as: "large")
        try server.put([1, 2, 3], as: "small")
        let transport = CurlTransport(loopCount: 1)
        let settings = TransportSettings.patient(trusting: try TestCertificates.authority.path)
        func connections(_ name: String, width: Int, length: Int) async throws -> Int {
            let request = try TransportRequest(server.url("/\(name)"), settings: settings)
            let before = server.log.count
            let chains = (0..<width).map { _ in TransferChain(of: request, length: length, on: transport) }
            for chain in chains { chain.startNext() }
            for chain in chains { #expect(try await chain.ended() == length) }
            let log = try await server.waitForLog(before + width * length)
            return Set(log.dropFirst(before).map(\.connection)).count
        }
        // Nothing is known at first.
        _ = try await connections("large", width: 1, length: 1)
        #expect(try await connections("large", width: 6, length: 4) == 6)
        // Small ones share again, once some have come.
        _ = try await connections("small", width: 1, length: 8)
        #expect(try await connections("small", width: 30, length: 4) <= 6)
    }

    @Test(.enabled(if: NginxServer.isPossible, "\(NginxServer.requirement)"), arguments: [NginxServer.Way.http2, .tls])
    func aTransferWithoutACertificateSharesNoConnectionOfOneWithIt(way: NginxServer.Way) async throws {
        let (authority, client) = (try TestCertificates.authority.path, try TestCertificates.client)
        let settings = NginxSettings(
            server: "ssl_verify_client optional; ssl_client_certificate \(authority); "
                + "if ($ssl_client_verify != SUCCESS) { return 403; }"
        )
        let server = try await NginxServer([way], settings: settings)
        try server.put([1, 2, 3], as: "file")
        let transport = CurlTransport(loopCount: 1)
        let files = CertificateFiles(certificate: client.certificate.path, key: client.key.path)
        let (plain, shown) = try (
            TransportRequest(server.url("/file"), isOneOfMany: true, settings: .patient(trusting: authority)),
            TransportRequest(
                server.url("/file"),
                isOneOfMany: true,
                settings: .patient(trusting: authority, showing: files)
            )
        )
        for request in [shown, plain, shown, plain] {
            let chain = TransferChain(of: request, length: 1, on: transport)
            chain.startNext()
            #expect(try await chain.ended() == 1)
        }
        let log = try await server.waitForLog(4)
        #expect(log.map(\.status) == [200, 403, 200, 403] && Set(log.map(\.connection)).count == 2, "\(log)")
        // At once, when connections are shared over HTTP/2.
        let chains = (0..<20).map { TransferChain(of: $0 % 2 == 0 ? shown : plain, length: 5, on: transport) }
        for chain in chains { chain.startNext() }
        for chain in chains { #expect(try await chain.ended() == 5) }
        let statuses = try await server.waitForLog(104).dropFirst(4).map(\.status)
        #expect(statuses.count { $0 == 200 } == 50 && statuses.count { $0 == 403 } == 50)
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func aLockedKeyEndsATransfer() async throws {
        let server = try TestServer(tls: ServerTLS(clients: .demanded)) { .file([1], for: $0) }
        let client = try TestCertificates.client
        let settings = TransportSettings.patient(
            trusting: try TestCertificates.authority.path,
            showing: CertificateFiles(certificate: client.certificate.path, key: client.lockedKey.path)
        )
        let request = try TransportRequest(server.url("/file"), settings: settings)
        #expect(try await CurlTransport(loopCount: 1).fetch(request).error?.kind == .clientCertificateUnusable)
    }
}

/// Runs transfers one after another. Each starts within the end call of the previous one.
private final class TransferChain: TransportSink {
    private struct Progress {
        var started = 0
        var complete = 0
        var isOver = false
    }

    private let request: TransportRequest
    private let length: Int
    private let transport: CurlTransport
    private let progress = Watched(Progress())

    init(of request: TransportRequest, length: Int, on transport: CurlTransport) {
        self.request = request
        self.length = length
        self.transport = transport
    }

    func startNext() {
        progress.update { $0.started += 1 }
        transport.start(request, sink: self)
    }

    /// Waits for the last transfer. Returns how many were complete.
    func ended() async throws -> Int {
        try await progress.wait(until: { $0.isOver }, within: .seconds(60))
        return progress.value.complete
    }

    func receive(head: ResponseHead) -> BodyDisposition { .deliver }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool { true }

    func end(_ end: TransferEnd) {
        let continues = progress.update { progress in
            if case .complete = end { progress.complete += 1 }
            progress.isOver = progress.started == length
            return !progress.isOver
        }
        if continues { startNext() }
    }
}
