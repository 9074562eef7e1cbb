import Foundation
import SpateLocking
import SpateTestSupport

@testable import Spate

/// A server that has the file at `/d/f`, and names `/d/f.meta4`.
final class MetalinkOrigin: Sendable {
    /// The document, once the URLs are known.
    let document = Locked("")
    let server: TestServer

    init(
        _ bytes: [UInt8] = PiecedFile.content,
        link: String = "<f.meta4>; rel=describedby; type=\"application/metalink4+xml\"",
        tls: ServerTLS? = nil,
        file change: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 },
        metalink: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws {
        server = try TestServer(tls: tls) { [document] request in
            if request.path.hasSuffix(".meta4") {
                return metalink(request, .status(200, body: document.withLock { $0 }))
            }
            return change(request, .file(bytes, etag: "\"v1\"", for: request).addingField("Link", link))
        }
    }

    var url: URL { server.url("/d/f") }
    var paths: [String] { server.requests.map(\.path) }
    /// What it has sent in answer to its last request.
    var lastBytes: Int { server.requests.last.map { server.bytesSent(for: $0) } ?? 0 }

    /// Describes the file, with these mirrors.
    func describe(_ mirrors: [TestServer], pieces: Bool = true, sum: Bool = true) {
        // A name that must not be taken.
        let urls = mirrors.map { $0.url("/m") }
        document.withLock { $0 = PiecedFile.document(urls, named: "other", pieces: pieces, sum: sum) }
    }
}

/// Suites whose requests ask for the Metalink that a server names.
protocol MetalinkOrigins {}

extension MetalinkOrigins {
    func manager(
        retries: Bool = false,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws -> TestManager {
        try TestManager {
            $0.connectionsPerDownload = .exactly(1)
            if !retries { $0.retry = .never }
            change(&$0)
        }
    }

    func mirror() throws -> TestServer { try TestServer { .file(PiecedFile.content, etag: "\"m\"", for: $0) } }

    func request(_ url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.usesServerMetalink = true
        return request
    }
}
