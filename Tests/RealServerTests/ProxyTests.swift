import Foundation
import SpateTestSupport
import Testing

/// The program behind a real proxy, which it takes from the environment.
@Suite(.takesTurns, .enabled(if: OtherServer.proxy().path != nil, "not installed: tinyproxy-bin")) struct ProxyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func spate(_ url: URL, through proxy: OtherStory) throws -> ChildProcess {
        let variables = ["http_proxy", "https_proxy"].map { ($0, "http://127.0.0.1:\(proxy.relay.port)") }
        return try ChildProcess(
            BuiltProgram.path("spate"),
            // On a busy machine it may take long until what is held is looked at.
            ["--retries", "1000", "--timeout", "3600", url.absoluteString],
            environment: Dictionary(uniqueKeysWithValues: variables),
            folder: folder.path
        )
    }

    @Test func aTransferSurvivesTheEndOfItsProxy() async throws {
        let origin = try TestServer { .file(RealStory.bytes, etag: "\"v1\"", for: $0) }
        let proxy = try await OtherStory(.proxy())
        let run = try spate(origin.url("/f"), through: proxy)
        let partial = folder.path("f.part")
        try await eventually("a part is on disk") {
            let size = try? FileManager.default.attributesOfItem(atPath: partial)[.size] as? Int
            return size ?? 0 >= OtherStory.held
        }
        try await proxy.kill()
        try await proxy.start()
        #expect(try await run.waitForExit() == .status(0), "\(run.errors)")
        #expect(TestBytes.difference([UInt8](try Data(contentsOf: folder.url("f"))), from: RealStory.bytes) == nil)
        #expect(origin.requests.count == 2 && origin.requests[1].range != nil && origin.requests[1].ifRange == "\"v1\"")
    }

    @Test(arguments: [
        ("BasicAuth alice sesame", "http", "The proxy answered 407"),
        ("BasicAuth alice sesame", "https", "answered 407 Proxy Authentication Required when asked for 127.0.0.1"),
        ("ConnectPort 443", "https", "answered 403 Forbidden when asked for 127.0.0.1"),
    ])
    func aRefusalFailsAtOnceWithTheProxysAnswer(settings: String, scheme: String, says: String) async throws {
        let origin = try TestServer { .file([1], for: $0) }
        let proxy = try await OtherStory(.proxy(settings), holding: false)
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(origin.port)/f"))
        let run = try spate(url, through: proxy)
        #expect(try await run.waitForExit() == .status(1))
        #expect(run.errors.contains(says) && proxy.relay.byteCounts.count == 1, "\(run.errors)")
        #expect(origin.requests.isEmpty)
    }
}
