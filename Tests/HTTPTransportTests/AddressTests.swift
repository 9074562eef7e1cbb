import CSpateSystem
import Foundation
import Glibc
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import SpateHTTPTransport

/// Requests that go to a chosen address of their host, and lookups of all addresses.
@Suite(.takesTurns) struct AddressTests {
    private func servers(tls: ServerTLS? = nil) throws -> (first: TestServer, second: TestServer) {
        let first = try TestServer(tls: tls) { .file([1], for: $0) }
        return (first, try TestServer(port: first.port, address: "127.0.0.2", tls: tls) { .file([2], for: $0) })
    }

    private func request(
        to server: TestServer,
        as name: String,
        at address: String? = nil,
        settings: TransportSettings = .patient()
    ) throws -> TransportRequest {
        try TransportRequest(
            server.url("/file", authority: name),
            address: address,
            knownAddresses: ["127.0.0.1", "127.0.0.2"],
            settings: settings
        )
    }

    @Test func aRequestGoesToItsChosenAddressUnderTheNameOfItsHost() async throws {
        let (first, second) = try servers()
        let transport = CurlTransport(loopCount: 2)
        #expect(try await transport.fetch(request(to: first, as: "cdn.test")).body == [1])
        #expect(try await transport.fetch(request(to: first, as: "cdn.test", at: "127.0.0.2")).body == [2])
        #expect(second.requests.map { $0.fields["host"] } == ["cdn.test:\(first.port)"])
    }

    @Test func aConnectionIsReusedOnlyForItsAddress() async throws {
        let (first, second) = try servers()
        let transport = CurlTransport(loopCount: 1)
        for _ in 0..<3 {
            for address in [nil, "127.0.0.2"] {
                _ = try await transport.fetch(request(to: first, as: "cdn.test", at: address))
            }
        }
        #expect(first.connectionCount == 1 && first.requests.count == 3)
        #expect(second.connectionCount == 1 && second.requests.count == 3)
    }

    @Test(
        .enabled(if: TestCertificates.isPossible && ServerTLS.isPossible, "\(TestCertificates.requirement)"),
        arguments: [TestCertificate.Kind.good, .otherHost]
    )
    func theCertificateMustBeForTheNameNotTheAddress(kind: TestCertificate.Kind) async throws {
        // One is for localhost and 127.0.0.1, the other one for 127.0.0.2.
        let (first, second) = try servers(tls: ServerTLS(kind))
        let settings = TransportSettings.patient(trusting: try TestCertificates.authority.path)
        let request = try request(to: first, as: "localhost", at: "127.0.0.2", settings: settings)
        let contents = try await CurlTransport(loopCount: 1).fetch(request)
        #expect(contents.body == (kind == .good ? [2] : []))
        #expect(contents.error?.kind == (kind == .good ? nil : .tlsUntrusted))
        #expect(first.requests.isEmpty && second.requests.count == (kind == .good ? 1 : 0))
    }

    @Test func anErrorNamesTheAddressThatDidNotAnswer() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let request = try TransportRequest(
            server.url("/file", authority: "cdn.test"),
            knownAddresses: ["127.0.0.1"],
            settings: TransportSettings(stallTimeout: .milliseconds(300))
        )
        let error = try await CurlTransport(loopCount: 1).fetch(request).error
        #expect(error?.kind == .headTimeout && error?.address == "127.0.0.1")
        gate.open()
    }

    @Test func anErrorWithoutAConnectionNamesNoAddress() async throws {
        let port = try DeadPort(.refusing)
        let error = try await CurlTransport(loopCount: 1).fetch(TransportRequest(port.url())).error
        #expect(error?.kind == .connectionFailed && error?.address == nil)
    }

    @Test(arguments: [("/large", 2 << 20), ("/small", 1_000), ("/part", 1_000)])
    func aSinkLearnsTheAddressOfALargeBodyOrAPart(path: String, count: Int) async throws {
        let server = try TestServer { .file(TestBytes.random(count: count), for: $0) }
        let sink = AddressSink()
        let rangeStart = path == "/part" ? Int64(500) : nil
        CurlTransport(loopCount: 1).start(try TransportRequest(server.url(path), rangeStart: rangeStart), sink: sink)
        try await sink.hasEnded.wait(until: { $0 })
        #expect(sink.address.value == (path == "/small" ? nil : "127.0.0.1"))
    }

    // MARK: Lookups

    @Test(arguments: ["http://127.0.0.1/", "http://[::1]:8080/a", "https://10.0.0.1/"])
    func anAddressIsNotLookedUp(url: String) throws {
        #expect(!AddressLookup.isUseful(for: try HTTPURL(url)))
    }

    @Test func aNameIsLookedUp() throws {
        #expect(AddressLookup.isUseful(for: try HTTPURL("http://cdn.test/")))
    }

    @Test func aLookupFindsTheAddressesOfAName() async throws {
        let found = Watched<LookupAnswer?>(nil)
        CurlTransport(loopCount: 1).lookUp(try HTTPURL("http://localhost/")) { answer in
            found.update { $0 = answer }
        }
        try await found.wait(until: { $0 != nil })
        guard case .addresses(let addresses)? = found.value else {
            Issue.record("\(String(describing: found.value))")
            return
        }
        #expect(addresses.contains("127.0.0.1"))
    }

    /// No name server may be in reach here. That a text cannot be a name, the resolver knows by itself.
    @Test func aNameThatDoesNotExistIsToldFromANameServerThatDoesNotAnswer() {
        #expect(AddressLookup.answer(about: "a..b") == .noSuchName)
        #expect(AddressLookup.answer(about: String(repeating: "a", count: 64) + ".test") == .noSuchName)
        #expect([.noSuchName, .unknown].contains(AddressLookup.answer(about: "no.such.name.invalid")))
        #expect(spate_is_no_such_name(EAI_NONAME) == 1)
        #expect([0, EAI_AGAIN, EAI_FAIL, EAI_SYSTEM, EAI_MEMORY].allSatisfy { spate_is_no_such_name($0) == 0 })
    }

    @Test func behindAProxyOrOfAnAddressNothingIsKnown() async throws {
        let found = Watched<LookupAnswer?>(nil)
        CurlTransport(loopCount: 1).lookUp(try HTTPURL("http://127.0.0.1/")) { answer in found.update { $0 = answer } }
        #expect(found.value == .unknown)
    }
}

/// Keeps the address that it is told.
private final class AddressSink: TransportSink {
    let address = Watched<String?>(nil)
    let hasEnded = Watched(false)

    func receive(head: ResponseHead) -> BodyDisposition { .deliver }
    func connected(to address: String) { self.address.update { $0 = address } }
    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool { true }
    func end(_ end: TransferEnd) { hasEnded.update { $0 = true } }
}
