import CSystem
import Foundation
import Spate
import TestSupport

/// A partial file of 200,000 bytes of 300,000 that an earlier run left: a test changes it, and the next run finds it.
final class DiskLeftover: Sendable {
    static let bytes = TestBytes.random(count: 300_000)
    static let heldCount = 200_000

    let server: TestServer
    let url: URL
    let first: TestManager

    init(in directory: String? = nil, etag: String? = "\"v1\"", target: String = "/f") async throws {
        server = try TestServer { request in
            let reply = Reply.file(Self.bytes, etag: etag, for: request)
            return request.sequence == 1 ? reply.stalled(after: Self.heldCount) : reply
        }
        url = server.url(target)
        first = try TestManager { configuration in
            if let directory { configuration.directory = URL(filePath: directory, directoryHint: .isDirectory) }
        }
        try await first.leavePartial(of: url, at: Int64(Self.heldCount))
    }

    var partial: String { path("f.part") }

    func path(_ name: String) -> String { first.manager.configuration.directory.appending(path: name).path }

    /// How the download ends for another manager, which knows only what is on disk.
    func nextRun(_ change: (inout DownloadRequest) -> Void = { _ in }) async throws -> Result<URL, DownloadError> {
        let configuration = first.manager.configuration
        let next = try TestManager { $0.directory = configuration.directory }
        var request = DownloadRequest(url)
        change(&request)
        return try await next.manager.download(request).ended()
    }

    /// The Range of each request since the first run.
    var laterRanges: [String?] { server.requests.dropFirst().map(\.range) }

    /// Where the finished file differs from the server's; `nil` if it does not.
    func difference(at name: String = "f") throws -> String? {
        TestBytes.difference(try Data(contentsOf: URL(filePath: path(name))), from: Self.bytes)
    }

    func set(_ attribute: String, to value: String) throws {
        let bytes = Array(value.utf8)
        guard setxattr(partial, attribute, bytes, bytes.count, 0) == 0 else { throw SystemError("setxattr") }
    }

    func remove(_ attribute: String) throws {
        guard removexattr(partial, attribute) == 0 else { throw SystemError("removexattr") }
    }

    /// Overwrites everything from `offset` on with zeros.
    func zero(from offset: Int) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: partial))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(count: Self.heldCount - offset))
        try file.close()
    }

    static var boot: String {
        get throws {
            try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    /// An identifier of another boot.
    static let otherBoot = "01234567-89ab-cdef-0123-456789abcdef"
}
