import Foundation

/// An nginx at the other end of a line.
final class LineRemote: Remote {
    private let line: Line
    private let webProtocol: Scenario.WebProtocol
    private let addresses: [String]
    private let nginx: Nginx
    private var link: LineLink?

    /// - Throws: `LineObstacle` where this machine cannot have a line.
    init(_ line: Line, webProtocol: Scenario.WebProtocol, hosts: Int) async throws {
        (self.line, self.webProtocol) = (line, webProtocol)
        addresses = LineLink.serverAddresses(hosts)
        try await LineLink(line, hosts: hosts).end()
        nginx = try await Nginx(at: addresses)
    }

    func start(serving folder: String, round: Int) async throws {
        let link = try await LineLink(line, seed: round, hosts: addresses.count)
        self.link = link
        try await nginx.start(serving: folder, through: link.serverEntrance)
    }

    func stop() async throws {
        // A client that was killed has left responses that nobody reads.
        try await nginx.stop(by: SIGTERM)
        try await link?.end()
        link = nil
    }

    func url(_ name: String, number: Int) -> String {
        nginx.url(name, over: webProtocol, at: addresses[number % addresses.count])
    }

    var authority: String? { webProtocol == .http ? nil : nginx.certificate }

    var entrance: [String] { link?.clientEntrance ?? [] }
}
