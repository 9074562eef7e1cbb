import Foundation
import Testing

@testable import spate_benchmark

@Suite struct ProtocolTests {
    @Test(arguments: [(Scenario.WebProtocol.https, "http/1.1"), (.http2, "h2")])
    func theServerOffersHTTP2OnlyWhereItIsMeasured(webProtocol: Scenario.WebProtocol, chosen: String) async throws {
        let (server, folder) = (try await Nginx(), try TemporaryFolder())
        try await server.start(serving: folder.path)
        let url = try #require(URL(string: server.url("file", over: webProtocol)))
        let openssl = try #require(ProgramPath.installed("openssl"))
        let address = "\(try #require(url.host)):\(try #require(url.port))"
        let client = try Child(openssl, ["s_client", "-connect", address, "-alpn", "h2,http/1.1"])
        try await client.end()
        try await server.stop()
        #expect(client.output.contains("ALPN protocol: \(chosen)\n"), "\(client.output) \(client.errors)")
    }

    @Test func overHTTP2NoProgramHasMoreFilesAtOnceThanOthers() throws {
        let scenario = try #require(Scenario.all.first { $0.name == "small-h2-many" })
        let folder = try TemporaryFolder()
        let order = try FetchOrder(
            [("file", "https://127.0.0.1/file")],
            of: scenario,
            authority: nil,
            connections: nil,
            into: folder,
            notes: folder
        )
        let arguments = Contestant.wget2.arguments(for: order).joined(separator: " ")
        #expect(arguments.contains("--max-threads 1 --http2-request-window 32"))
        #expect(Contestant.aria2c.obstacle(to: scenario) == "it speaks no HTTP/2")
    }
}
