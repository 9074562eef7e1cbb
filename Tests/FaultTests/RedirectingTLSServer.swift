import Foundation
import TestSupport

/// A server with a certificate of its own that gives one answer, whatever the client.
///
/// It is the openssl program's, which hands out files that hold whole responses.
final class RedirectingTLSServer: Sendable {
    private static let program = "/usr/bin/openssl"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    /// Where the answer is.
    let url: URL
    /// The certificate to trust.
    let certificate: URL
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Redirects to this place.
    convenience init(to target: URL) async throws {
        let head = "HTTP/1.1 302 Found\r\nLocation: \(target.absoluteString)\r\nContent-Length: 0\r\n\r\n"
        try await self.init(response: Data(head.utf8))
    }

    /// Serves this content.
    convenience init(serving content: [UInt8]) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"
        try await self.init(response: Data(head.utf8) + content)
    }

    private init(response: Data) async throws {
        folder = try TemporaryFolder()
        certificate = folder.url("certificate.pem")
        let names = ["-keyout", "key.pem", "-out", "certificate.pem"]
        let subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await ChildProcess(Self.program, ["req", "-x509"] + key + names + subject, folder: folder.path)
            .waitForExit()
        try response.write(to: folder.url("f"))
        process = try ChildProcess(
            Self.program,
            ["s_server", "-accept", "127.0.0.1:0", "-HTTP", "-key", "key.pem", "-cert", "certificate.pem"],
            folder: folder.path
        )
        try await process.waitForOutput(containing: "ACCEPT 127.0.0.1:")
        let port = process.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("127.0.0.1:") }
        guard let port, let url = URL(string: "https://\(port)/f") else { throw CocoaError(.fileReadUnknown) }
        self.url = url
    }
}
