import Foundation
import SpateHosts
import SpateTestSupport
import Testing

@testable import Spate

/// A connection that crawls continues at another address of its host.
@Suite(.mostlyWaits) struct CrawlingAddressTests {
    private static let bytes = TestBytes.random(count: 24 << 20)
    private static let file = TestFile(bytes, etag: "\"v1\"")

    /// A server of the file that collapses.
    private func server(
        at address: Int = 1,
        port: UInt16 = 0,
        _ file: TestFile = file,
        tls: ServerTLS? = nil,
        collapse: Collapse,
        changing change: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws -> TestServer {
        try TestServer(port: port, address: "127.0.0.\(address)", tls: tls) { request in
            change(request, collapse.pacing(.file(file, for: request), for: request))
        }
    }

    private func expectWhole(_ download: Download, _ bytes: [UInt8] = bytes) async throws {
        let file = try await download.ended().get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: bytes) == nil)
    }

    @Test(arguments: ["\"v1\"", "W/\"v1\""]) func theRestComesFromAnotherAddress(etag: String) async throws {
        let file = TestFile(Self.bytes, etag: etag)
        let first = try server(file, collapse: Collapse(after: 10 << 20))
        let second = try server(at: 2, port: first.port, file, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        try await expectWhole(host.manager.download(host.url))
        #expect(first.requests.count == 1 && second.requests.count == 1)
        let request = try #require(second.requests.first)
        let isStrong = !etag.hasPrefix("W/")
        #expect(request.ifRange == (isStrong ? etag : nil))
        // Under a strong tag 4 KiB are compared, under a weak one 64 KiB.
        #expect(first.bytesSent + second.bytesSent < Self.bytes.count + (2 << 20))
        #expect(request.fields["Host"] == "cdn.test:\(first.port)")
    }

    @Test(.enabled(if: TestCertificates.isPossible && ServerTLS.isPossible, "\(TestCertificates.requirement)"))
    func theRestComesFromAnotherAddressUnderTheSameCertificate() async throws {
        let first = try server(tls: ServerTLS(), collapse: Collapse(after: 10 << 20))
        let second = try server(at: 2, port: first.port, tls: ServerTLS(), collapse: Collapse(after: nil))
        let authority = try TestCertificates.authority
        let host = try AddressedHost(first.port, addresses: 2, scheme: "https", name: "localhost") {
            $0.certificateAuthorities = authority
        }
        try await expectWhole(host.manager.download(host.url))
        #expect(first.requests.count == 1 && second.requests.count == 1)
    }

    @Test func ofEightAddressesTheQuickOneIsFound() async throws {
        let first = try server(collapse: Collapse(after: 10 << 20))
        let slow = try (2...7).map { try server(at: $0, port: first.port, collapse: Collapse(after: 0)) }
        let quick = try server(at: 8, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 8)
        try await expectWhole(host.manager.download(host.url))
        #expect(([first] + slow + [quick]).allSatisfy { $0.requests.count <= 1 && $0.mostAtOnce <= 1 })
        #expect(quick.requests.count == 1)
    }

    @Test func theNextFileGoesToTheQuickAddressAtOnce() async throws {
        let first = try server(collapse: Collapse(after: 10 << 20))
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        try await expectWhole(host.manager.download(host.url))
        try await expectWhole(
            host.manager.download(host.url.appending(queryItems: [URLQueryItem(name: "a", value: "")]))
        )
        #expect(first.requests.count == 1 && second.requests.count == 2)
    }

    @Test func aFileThatCrawlsFromItsBeginningIsComparedWithTheHost() async throws {
        let (quick, slow) = (Collapse(after: nil), Collapse(after: 0))
        let first = try TestServer { request in
            (request.visit == 1 ? quick : slow).pacing(.file(Self.file, for: request), for: request)
        }
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        try await expectWhole(host.manager.download(host.url))
        try host.manager.delete(host.url)
        try await expectWhole(host.manager.download(host.url))
        #expect(first.requests.count == 2 && second.requests.count == 1)
    }

    // MARK: What stays

    @Test func withoutRangesTheConnectionStays() async throws {
        let collapse = Collapse(after: 10 << 20)
        let first = try server(collapse: collapse) { $1.removingField("Accept-Ranges") }
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        let download = host.manager.download(host.url)
        try await staysCrawling(first)
        #expect(second.requests.isEmpty && host.transport.lookups.value == 0)
        collapse.end()
        try await expectWhole(download)
        #expect(first.requests.count == 1 && second.requests.isEmpty)
    }

    @Test func anOnlyAddressStays() async throws {
        let collapse = Collapse(after: 10 << 20)
        let first = try server(collapse: collapse)
        let host = try AddressedHost(first.port, addresses: 1)
        let start = ContinuousClock.now
        let download = host.manager.download(host.url)
        try await host.transport.lookups.wait(until: { $0 == 1 })
        try await staysCrawling(first)
        collapse.end()
        try await expectWhole(download)
        #expect(first.requests.count == 1)
        expectFewLookups(host, each: .seconds(60), since: start)
    }

    @Test func aLimitedRateIsNoCrawl() async throws {
        let first = try server(collapse: Collapse(after: nil))
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        let download = host.manager.download(host.url)
        try await eventually("the file has begun") { first.bytesSent > 4 << 20 }
        host.manager.maxBytesPerSecond = 100_000
        try await Task.sleep(for: .seconds(3))
        host.manager.maxBytesPerSecond = nil
        try await expectWhole(download)
        #expect(second.requests.isEmpty && host.transport.lookups.value == 0)
    }

    @Test func aLookupThatNeverEndsChangesNothing() async throws {
        let collapse = Collapse(after: 10 << 20)
        let first = try server(collapse: collapse)
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2)
        host.transport.holdLookups()
        let start = ContinuousClock.now
        let download = host.manager.download(host.url)
        try await host.transport.lookups.wait(until: { $0 == 1 })
        try await staysCrawling(first)
        collapse.end()
        try await expectWhole(download)
        #expect(second.requests.isEmpty)
        expectFewLookups(host, each: HostAddresses.longestLookup, since: start)
    }

    /// One lookup, and another each time that so much has passed: a busy machine may take minutes.
    private func expectFewLookups(_ host: AddressedHost, each time: Duration, since start: ContinuousClock.Instant) {
        #expect(host.transport.lookups.value <= 1 + Int((ContinuousClock.now - start) / time))
    }

    /// Three seconds of a crawl pass.
    private func staysCrawling(_ server: TestServer) async throws {
        try await eventually("the file has begun") { server.bytesSent > 10 << 20 }
        try await Task.sleep(for: .seconds(3))
    }

    // MARK: Another file

    @Test(arguments: ["other tag", "no ranges", "missing", "error"])
    func whatCameIsNotLostWhereTheOtherAddressHasAnotherFile(kind: String) async throws {
        let collapse = Collapse(after: 10 << 20)
        let first = try server(collapse: collapse)
        let other = TestFile(TestBytes.random(count: 24 << 20, seed: 2), etag: "\"v2\"")
        let second = try server(at: 2, port: first.port, other, collapse: Collapse(after: nil)) { request, reply in
            // The first address is quick again when it is asked again.
            collapse.end()
            return switch kind {
            case "other tag": reply
            case "no ranges": .status(200, fields: ["ETag": "\"v1\""], body: Self.bytes)
            case "missing": .status(404, body: "gone")
            default: .status(500, body: "broken")
            }
        }
        let host = try AddressedHost(first.port, addresses: 2)
        try await expectWhole(host.manager.download(host.url))
        #expect(second.requests.count == 1 && first.requests.count == 2)
        #expect(first.requests.last?.range != nil)
        #expect(first.bytesSent < Self.bytes.count + (2 << 20))
    }

    // MARK: Parts

    /// Each of `count` connections asks an address twice at most: four seek a quick one, and the others follow.
    @Test(arguments: [(ConnectionCount.automatic, 16), (.exactly(4), 4)])
    func allPartsLeaveAddressesThatCrawl(connections: ConnectionCount, count: Int) async throws {
        let first = try server(collapse: Collapse(after: 12 << 20, quick: 2_000_000))
        let slow = try (2...4).map { try server(at: $0, port: first.port, collapse: Collapse(after: 0)) }
        let quick = try server(at: 5, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 5) { $0.connectionsPerDownload = connections }
        try await expectWhole(host.manager.download(host.url))
        #expect(!quick.requests.isEmpty && slow.allSatisfy { $0.requests.count <= 2 * count })
    }

    /// It crawls for a second before another connection could take its part.
    @Test func aPartThatCrawlsIsRequestedAtAnotherAddress() async throws {
        let first = try TestServer { request in
            let isSlow = request.connection == 3
            return Collapse(after: isSlow ? 500_000 : nil, quick: 1_500_000).pacing(
                .file(Self.file, for: request),
                for: request
            )
        }
        let second = try server(at: 2, port: first.port, collapse: Collapse(after: nil))
        let host = try AddressedHost(first.port, addresses: 2) { $0.connectionsPerDownload = .exactly(4) }
        try await expectWhole(host.manager.download(host.url))
        #expect(second.requests.count >= 1)
        // A server sees a closed connection for a moment.
        #expect(first.mostAtOnce <= 5 && second.mostAtOnce <= 5)
    }
}
