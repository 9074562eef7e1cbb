import Foundation
import Spate
import TestSupport
import Testing

/// A server whose very first answer is interrupted, and a manager that makes a file of what follows.
///
/// What the server answers from the second request on is right, unless the test bends it.
struct ResumeStory {
    static let bytes = TestBytes.random(count: 300_000)
    /// Where the first answer is interrupted.
    static let left = 100_000
    static let tagged = TestFile(bytes, etag: "\"v1\"")
    static let part = "f.part"

    let server: TestServer
    let test: TestManager

    init(
        _ file: TestFile = tagged,
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws {
        try self.init(file, first: { $0.cut(after: Self.left) }, then: bend)
    }

    /// - Parameter first: what becomes of the first answer, in place of a cut.
    init(
        _ file: TestFile = tagged,
        first interrupt: @escaping @Sendable (Reply) -> Reply,
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws {
        server = try TestServer { request in
            let right = Reply.file(file, for: request)
            return request.sequence == 1 ? interrupt(right) : bend(request, right)
        }
        test = try TestManager()
    }

    /// A story in which an earlier download was cancelled, so that its partial file lies there for the test to change.
    static func leftBehind(
        _ file: TestFile = tagged,
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) async throws -> ResumeStory {
        let story = try ResumeStory(file, first: { $0.stalled(after: left) }, then: bend)
        try await story.test.leavePartial(of: story.server.url("/f"), at: Int64(left))
        return story
    }

    /// How the download ends, which is told exactly once.
    func end(_ change: (inout DownloadRequest) -> Void = { _ in }) async throws -> Result<URL, DownloadError> {
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        let told = Recorder<Bool>()
        let download = test.manager.download(request, completion: { told.append($0.error == nil) })
        let result = try await download.ended()
        try await told.wait(forCount: 1)
        #expect(told.values == [result.error == nil])
        return result
    }

    /// Expects the download to end well, with this very content.
    func publishes(_ content: [UInt8] = bytes, _ change: (inout DownloadRequest) -> Void = { _ in }) async throws {
        let file = try await end(change).get()
        #expect(file.lastPathComponent == "f" && test.names == ["f"])
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
    }

    /// Expects the download to fail, with nothing at the final path and the first bytes of `bytes` kept.
    func fails(
        _ code: DownloadError.Code,
        keeping kept: Int = left,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws {
        let error = try #require(try await end(change).error)
        #expect(error.code == code && error.keptPartialFile == (kept > 0), "\(error.code): \(error)")
        #expect(test.names == (kept > 0 ? [Self.part] : []))
        guard kept > 0 else { return }
        #expect(TestBytes.difference(try test.bytes(Self.part), from: Self.bytes[..<kept]) == nil)
    }

    /// What was asked of the server, request by request.
    var ranges: [String?] { server.requests.map(\.range) }
}

extension TestManager {
    /// Downloads as far as the server goes, cancels, and returns when the partial file is let go of.
    func leavePartial(of url: URL, at length: Int64) async throws {
        let heard = Recorder<Int64>()
        let download = manager.download(url, progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == length })
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await eventually("the partial file is let go of") {
            try manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
    }

    /// Adds bytes to a file in the folder.
    func append(_ bytes: some Sequence<UInt8>, to name: String) throws {
        let file = try FileHandle(forWritingTo: folder.url(name))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes))
    }
}
