import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// Two managers fetch one URL, and neither sees the other's file, because a new file has no name. The slower one leaves
/// no partial file beside the finished file.
@Suite(.takesTurns) struct TwoWritersTests {
    private static let bytes = TestBytes.random(count: 2_000)
    private let folder: TemporaryFolder
    private let gates: [Gate]
    private let first: TestManager

    init() throws {
        folder = try TemporaryFolder()
        gates = [try Gate(), try Gate()]
        first = try TestManager(folder: folder)
    }

    /// Holds the first two requests back, each by its gate. The second gets half of the file.
    private func server(_ fault: @escaping @Sendable (Reply) -> Reply) throws -> TestServer {
        try TestServer { [gates] request in
            let file = Reply.file(Self.bytes, etag: "\"v1\"", for: request)
            return switch request.visit {
            case 1: file.heldBack(by: gates[0])
            case 2: fault(file).heldBack(by: gates[1])
            default: file
            }
        }
    }

    /// Both have opened their files when their requests have arrived.
    private func begin(_ second: TestManager, _ server: TestServer) async throws -> [Download] {
        var downloads: [Download] = []
        for (index, test) in [first, second].enumerated() {
            downloads.append(test.manager.download(server.url("/f")))
            try await server.waitForRequests(index + 1)
        }
        return downloads
    }

    @Test(arguments: [RetryPolicy.never, nil])
    func aDownloadThatFailsBesideTheFinishedFileKeepsNothing(retry: RetryPolicy?) async throws {
        let server = try server { $0.cut(after: 1_000) }
        let second = try TestManager(folder: folder) { $0.retry = retry ?? $0.retry }
        let downloads = try await begin(second, server)
        gates[0].open()
        _ = try await downloads[0].ended().get()
        gates[1].open()
        let result = try await downloads[1].ended()
        #expect(first.names == ["f"])
        #expect(try first.bytes("f") == Self.bytes && server.requests.count == 2)
        if retry == nil { #expect(try result.get() == folder.url("f")) } else { #expect(result.error != nil) }
    }

    @Test func aPausedDownloadThatFindsTheFinishedFileRemovesItsPart() async throws {
        let server = try server { $0.stalled(after: 1_000) }
        let second = try TestManager(folder: folder)
        let downloads = try await begin(second, server)
        gates[1].open()
        try await eventually("it has a part") { downloads[1].progress.receivedBytes == 1_000 }
        downloads[1].pause()
        try await eventually("it is let go of") { try second.manager.storedDownloads().first?.isInUse == false }
        gates[0].open()
        _ = try await downloads[0].ended().get()
        #expect(first.names == ["f", "f.part"])
        downloads[1].resume()
        #expect(try await downloads[1].ended().get() == folder.url("f"))
        #expect(first.names == ["f"] && server.requests.count == 2)
    }
}
