import Foundation
import Spate
import SpateLocking
import SpateTestSupport
import Testing

/// A server whose file changes between two downloads, and the folder that has the first.
final class UpdateScene: Sendable {
    static let old = TestFile(TestBytes.random(count: 300_000, seed: 1), etag: "\"v1\"")
    /// Shorter than the old one.
    static let new = TestFile(TestBytes.random(count: 200_000, seed: 2), etag: "\"v2\"")

    typealias Answer = @Sendable (ReceivedRequest, Reply) -> Reply

    let test: TestManager
    let server: TestServer
    private let state: Locked<(file: TestFile, answer: Answer)>

    var url: URL { server.url("/f") }

    /// Downloads `old`.
    init(_ old: TestFile = old, _ change: (inout DownloadManager.Configuration) -> Void = { _ in }) async throws {
        let state = Locked<(file: TestFile, answer: Answer)>((old, { $1 }))
        self.state = state
        server = try TestServer { request in
            let (file, answer) = state.withLock { $0 }
            return answer(request, .file(file, for: request))
        }
        test = try TestManager(change)
        _ = try await test.manager.download(url).ended().get()
    }

    /// From now on the server has another file, or answers in another way.
    func serve(_ file: TestFile? = nil, _ answer: @escaping Answer = { $1 }) {
        state.withLock { state in
            state = (file ?? state.file, answer)
        }
    }

    var request: DownloadRequest {
        var request = DownloadRequest(url)
        request.checksForUpdate = true
        return request
    }

    /// Enqueues an update.
    func update(_ change: (inout DownloadRequest) -> Void = { _ in }) -> Download {
        var request = request
        change(&request)
        return test.manager.download(request)
    }

    /// The requests after the first download.
    var requests: ArraySlice<ReceivedRequest> { server.requests.dropFirst() }

    /// What is known of the finished file without reading it.
    func facts() throws -> Facts {
        var status = stat()
        guard stat(test.folder.path("f"), &status) == 0 else { throw SystemError("stat") }
        return Facts(
            inode: status.st_ino,
            modified: status.st_mtim.tv_sec,
            changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec],
            attributes: try attributes(of: test.folder.path("f"))
        )
    }

    struct Facts: Equatable {
        let inode: UInt
        let modified: Int
        /// The time of the last change to anything about it.
        let changed: [Int]
        let attributes: [String: String]
    }

    /// Whether `f` has the bytes of this file, and stands alone.
    func isAlone(_ file: TestFile) throws -> Bool {
        try test.names == ["f"] && TestBytes.difference(test.bytes("f"), from: file.bytes) == nil
    }
}
