import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// `Configuration.addresses`. The server at 127.0.0.1 is allowed, the one at 127.0.0.2 is inside.
@Suite(.takesTurns) struct AddressPolicyTests {
    private let inside: TestServer
    private let bytes = TestBytes.random(count: 200_000)

    init() throws {
        inside = try TestServer(address: "127.0.0.2") { [bytes] in .file(bytes, etag: "\"a\"", for: $0) }
    }

    private func manager(
        _ policy: AddressPolicy = .publicOnly(besides: ["127.0.0.1/32"]),
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws -> TestManager {
        try TestManager {
            $0.addresses = policy
            change(&$0)
        }
    }

    private var secret: URL { inside.url("/secret", authority: "127.0.0.2") }

    /// Its name is never looked up.
    private var files: URL { inside.url("/f", authority: "files.test") }

    private func expectRefusal(_ error: DownloadError?) {
        #expect(error?.code == .addressNotAllowed)
        #expect(error?.isRetryable == false)
        #expect(inside.connectionCount == 0)
    }

    /// As users, and those who attack, write loopback and a cloud's metadata service.
    @Test(
        arguments: [
            "127.0.0.1", "127.1", "127.0.1", "0x7f000001", "0x7f.1", "2130706433", "0177.0.0.1", "017700000001",
            "localhost",
            "LOCALHOST", "localhost.", "0.0.0.0", "0", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
            "[2002:7f00:1::]", "127.0.0.1.", "169.254.169.254", "[fd00:ec2::254]", "[fe80::1%25lo]", "[fe80::1]",
        ]
    ) func noSpellingGetsPast(host: String) async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try manager(.publicOnly) { $0.retry = .never }
        let url = try #require(URL(string: "http://\(host):\(server.port)/f"))
        let error = try #require(try await test.manager.download(url).ended().error)
        // Some resolvers take a spelling for a name that does not exist, or this machine has no such network.
        #expect([.addressNotAllowed, .hostNotFound, .badURL].contains(error.code), "\(error)")
        #expect(server.connectionCount == 0)
        if ["127.0.0.1", "0x7f000001", "[::ffff:7f00:1]", "169.254.169.254"].contains(host) {
            #expect(error.code == .addressNotAllowed)
        }
    }

    @Test func theMessageSaysWhichAddressOfWhichHost() async throws {
        let test = try manager()
        let error = try #require(try await test.manager.download(secret).ended().error)
        #expect(error.message == "The address 127.0.0.2 is not allowed. Check the URL, or allow the address.")
        expectRefusal(error)
    }

    @Test func aRedirectIsRefused() async throws {
        let server = try TestServer { [secret] _ in .redirect(to: secret.absoluteString) }
        let error = try await manager().manager.download(server.url("/f")).ended().error
        expectRefusal(error)
        #expect(error?.message.contains("127.0.0.2 of 127.0.0.2") == true, "\(error?.message ?? "")")
        #expect(server.requests.count == 1)
    }

    @Test func aMirrorIsRefusedAndTheOthersAreAsked() async throws {
        let server = try TestServer { [bytes] in $0.path == "/f" ? .status(404) : .file(bytes, for: $0) }
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [secret, server.url("/g")]
        let test = try manager()
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == bytes)
        #expect(inside.connectionCount == 0)
    }

    @Test func aMirrorThatAServerNamesIsRefused() async throws {
        let server = try TestServer { [bytes, secret] request in
            let file = Reply.file(bytes, etag: "\"a\"", for: request)
                .addingField("Link", "<\(secret)>; rel=duplicate")
            return request.visit == 1 ? file.cut(after: 100_000) : .status(404)
        }
        let test = try manager()
        expectRefusal(try await test.manager.download(server.url("/f")).ended().error)
    }

    @Test func aPreparedRequestIsRefused() async throws {
        let test = try manager { [secret] configuration in
            configuration.prepare = { request, _ in
                var request = request
                request.url = secret
                return request
            }
        }
        expectRefusal(try await test.manager.download(files).ended().error)
    }

    @Test func theMetalinkOfAServerIsRefused() async throws {
        let server = try TestServer { [bytes, secret] in
            .file(bytes, for: $0).addingField(
                "Link",
                "<\(secret)>; rel=describedby; type=\"application/metalink4+xml\""
            )
        }
        var request = DownloadRequest(server.url("/f"))
        request.usesServerMetalink = true
        let test = try manager()
        _ = try await test.manager.download(request).ended()
        #expect(inside.connectionCount == 0)
    }

    /// The first answer of the name is allowed, and the next one is not.
    @Test func aNameThatLeadsElsewhereLaterIsRefusedThen() async throws {
        let isFirst = Watched(true)
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"a\"", for: $0).cut(after: 50_000).closing }
        let policy = AddressPolicy { address in
            isFirst.update { isFirst in
                defer { isFirst = false }
                return isFirst
            }
        }
        let test = try manager(policy)
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .addressNotAllowed)
        #expect(server.requests.count == 1)
    }

    @Test func aClosureSeesEachAddress() async throws {
        let seen = Watched<Set<String>>([])
        let policy = AddressPolicy { address in
            seen.update { $0.insert(address) }
            return true
        }
        let test = try manager(policy)
        _ = try await test.manager.download(secret).ended().get()
        #expect(seen.value == ["127.0.0.2"])
    }

    @Test func everyPartOfAFileIsJudged() async throws {
        let test = try manager { $0.connectionsPerDownload = .exactly(4) }
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"a\"", for: $0) }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(try test.bytes("f") == bytes)
    }

    @Test(arguments: ["10.1.2", "fd00::/129", "lan", ""]) func anInvalidRangeAllowsNothing(text: String) async throws {
        let test = try manager(.publicOnly(besides: ["127.0.0.2", text]))
        let error = try await test.manager.download(secret).ended().error
        expectRefusal(error)
        #expect(error?.message.contains("is not an address or a range of them") == true)
    }

    @Test func aTrustedProxyIsUsed() async throws {
        let proxy = try TestServer { [bytes] in .file(bytes, for: $0) }
        var policy = AddressPolicy.publicOnly
        policy.trustsProxies = true
        for (policy, isUsed) in [(.publicOnly, false), (policy, true)] {
            let test = try manager(policy) { $0.proxy = .url(proxy.url("/", authority: "127.0.0.1")) }
            let error = try await test.manager.download(files).ended().error
            #expect(error?.code == (isUsed ? nil : .addressNotAllowed))
            #expect(proxy.requests.isEmpty != isUsed)
        }
    }
}
