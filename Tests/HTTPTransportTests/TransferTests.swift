import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct TransferTests {
    let transport = CurlTransport(loopCount: 2)

    @Test func aBodyArrivesWholeInLargeBlocks() async throws {
        let bytes = TestBytes.random(count: 3_000_000)
        let server = try TestServer { .file(bytes, etag: "\"a\"", for: $0) }
        let got = try await transport.fetch(TransportRequest(server.url("/file")))
        #expect(got.isComplete && got.body == bytes)
        #expect(got.head?.status == 200 && got.head?.fields.first(of: "etag") == "\"a\"")
        #expect(got.blockSizes.count < 40)
    }

    @Test(arguments: [nil, 40, 99]) func theLastBlockIsKnownAsSuch(pausesAfter: Int?) async throws {
        let gate = try Gate()
        let bytes = TestBytes.random(count: 100)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, for: request)
            return pausesAfter.map { reply.gated(after: $0, gate) } ?? reply
        }
        let sink = CollectingSink()
        transport.start(try TransportRequest(server.url("/file")), sink: sink)
        if let pausesAfter { try await sink.received(pausesAfter) }
        gate.open()
        let got = try await sink.ended()
        #expect(got.isComplete && got.body == bytes)
        #expect(got.blockSizes == (pausesAfter.map { [$0, 100 - $0] } ?? [100]))
        #expect(got.areLast == (pausesAfter == nil ? [true] : [false, true]))
    }

    @Test func credentialsAndFieldsAreSent() async throws {
        let server = try TestServer { .file([7], for: $0) }
        let request = try TransportRequest(
            server.url("/file"),
            credentials: Credentials(user: "ann", password: "s:cret"),
            fields: [("X-One", "1"), ("X-Empty", "")]
        )
        _ = try await transport.fetch(request)
        let fields = try #require(server.requests.first).fields
        #expect(fields["Authorization"] == "Basic " + Data("ann:s:cret".utf8).base64EncodedString())
        #expect(fields["X-One"] == "1" && fields["X-Empty"] == "")
    }

    @Test(arguments: [false, true]) func aReusedHandleKeepsNoOptions(hasCredentials: Bool) async throws {
        let server = try TestServer { .file(TestBytes.random(count: 100), etag: "\"a\"", for: $0) }
        let one = CurlTransport(loopCount: 1)
        let first = try TransportRequest(
            server.url("/file"),
            credentials: hasCredentials ? Credentials(user: "ann", password: "x") : nil,
            fields: [("X-One", "1")],
            rangeStart: 10
        )
        let third = try TransportRequest(server.url("/file"), fields: [("X-Three", "3")])
        for request in [first, try TransportRequest(server.url("/file")), third, first] {
            #expect(try await one.fetch(request).isComplete)
        }
        let got = server.requests
        #expect(got.map(\.range) == ["bytes=10-", nil, nil, "bytes=10-"])
        #expect(got.map { $0.fields["X-One"] } == ["1", nil, nil, "1"])
        #expect(got.map { $0.fields["X-Three"] } == [nil, nil, "3", nil])
        #expect(got.map { $0.fields["Authorization"] != nil } == [hasCredentials, false, false, hasCredentials])
    }

    @Test func aReusedHandleKeepsNoProxy() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let proxy = try TestServer { .file([2], for: $0) }
        let one = CurlTransport(loopCount: 1)
        let url = server.url("/file")
        let given = TransportProxy.given(try ProxyURL("127.0.0.1:\(proxy.port)"))
        for choice in [.none, given, .none, .environment, given] {
            let settings = TransportSettings(stallTimeout: .seconds(120), proxy: choice)
            let got = try await one.fetch(TransportRequest(url, settings: settings))
            #expect(got.body == (choice == given ? [2] : [1]))
        }
        #expect(proxy.requests.map(\.target) == [url.absoluteString, url.absoluteString])
        #expect(server.requests.map(\.target) == ["/file", "/file", "/file"])
    }

    @Test func eachURLOfAReusedHandleIsRequestedAsItStands() async throws {
        let server = try TestServer { .file([7], for: $0) }
        let one = CurlTransport(loopCount: 1)
        let targets = [
            "/a", "/b/c", "/%2Fd%2fe", "/f", "/?g", "/h", "//i//", "/", "/j?", "/..k/.l", "/[m]'@:!$&()*+,;=", "/n",
        ]
        for (index, target) in targets.enumerated() {
            let authority = index % 4 == 3 ? "localhost" : "127.0.0.1"
            let url = try HTTPURL("http://\(authority):\(server.port)\(target)")
            #expect(try await one.fetch(TransportRequest(url: url)).isComplete)
        }
        let got = server.requests
        #expect(got.map(\.target) == targets)
        #expect(got.map { $0.fields["Host"]?.hasPrefix("localhost:") } == targets.indices.map { $0 % 4 == 3 })
    }

    @Test func aRequestIsRepeatedForTheSameURLOnANewConnection() async throws {
        let server = try TestServer { request in
            request.path == "/b" && request.visit == 1
                ? .raw([]) : .file(Array(request.path.utf8), for: request)
        }
        let one = CurlTransport(loopCount: 1)
        for path in ["/a", "/b", "/c"] {
            let got = try await one.fetch(TransportRequest(server.url(path)))
            #expect(got.isComplete && got.body == Array(path.utf8))
        }
        #expect(server.requests.map(\.path) == ["/a", "/b", "/b", "/c"])
        #expect(server.requests.map(\.turn) == [1, 2, 1, 2])
    }

    @Test func bytesOfASlowConnectionAreNotHeldBack() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0).gated(after: 10, gate) }
        let sink = CollectingSink()
        transport.start(try TransportRequest(server.url("/file")), sink: sink)
        try await sink.received(10)
        gate.open()
        #expect(try await sink.ended().isComplete)
    }
}
