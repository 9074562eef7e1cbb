import Foundation
import Spate
import SpateTestSupport
import Testing

/// An nginx, and a manager that trusts it.
struct RealStory {
    /// A file's content for stories of interruptions.
    static let bytes = TestBytes.random(count: 3 << 20)
    static let other = TestBytes.random(count: 3 << 20, seed: 2)
    /// Where the first answer stops in such stories. The server counts the head, too.
    static let stop = 1_040_000
    /// What has certainly arrived by then.
    static let held: Int64 = 1_000_000
    /// Long past, so that it is a strong validator.
    static let date = Date(timeIntervalSince1970: 1_600_000_000)
    static let dateText = "Sun, 13 Sep 2020 12:26:40 GMT"
    static let laterDate = Date(timeIntervalSince1970: 1_600_000_001)

    let server: NginxServer
    let test: TestManager

    init(
        _ ways: NginxServer.Way...,
        settings: NginxSettings = NginxSettings(),
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) async throws {
        server = try await NginxServer(ways, settings: settings)
        let authority = try TestCertificates.authority
        test = try TestManager {
            $0.certificateAuthorities = authority
            // The server may be down for any number of tries.
            $0.retry.maxRetriesWithoutProgress = 100_000
            change(&$0)
        }
    }

    /// A story of the file `f`, whose first answer stops short.
    static func interrupted(
        _ way: NginxServer.Way,
        server directives: String = "",
        modified: Date = date
    ) async throws -> RealStory {
        let story = try await RealStory(way, settings: .stopping(after: stop, server: directives))
        try story.server.put(bytes, as: "f", modified: modified)
        return story
    }

    /// Enqueues a download and returns it when this much of it has been received.
    func begin(
        _ target: String = "/f",
        until received: Int64 = held,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> Download {
        var request = DownloadRequest(server.url(target))
        change(&request)
        let progress = Recorder<Int64>()
        let download = test.manager.download(request, progress: { progress.append($0.receivedBytes) })
        try await progress.wait(for: "\(received) bytes of \(target)", until: { ($0.last ?? 0) >= received })
        return download
    }

    /// Pauses a download, and returns the size of its partial file when that is closed.
    func pause(_ download: Download) async throws -> Int {
        download.pause()
        try await test.filesAreClosed()
        return try partialSize
    }

    var partialSize: Int {
        get throws {
            let values = try FileManager.default.attributesOfItem(atPath: test.folder.path("f.part"))
            return try #require(values[.size] as? Int)
        }
    }

    /// Expects a download to end well, with this very content and nothing beside it.
    func publishes(_ download: Download, _ content: [UInt8] = bytes) async throws {
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        #expect(test.names == ["f"])
    }

    /// The answers to range requests, as soon as there are this many.
    ///
    /// The log may lack an answer whose end the client did not want: over HTTP/2 the server learns of that with the
    /// next frame on that connection.
    func answersToRanges(_ count: Int = 1) async throws -> [NginxLogEntry] {
        try await server.waitForLog { $0.filter { $0.range != nil }.count >= count }.filter { $0.range != nil }
    }

    /// How many bytes before the end of what is there a request begins.
    static let seam = 4_096

    /// Expects one range request from this offset on, which was answered with exactly that.
    func continues(from start: Int, ifRange: String? = nil) async throws {
        let answers = try await answersToRanges()
        let answer = try #require(answers.first)
        #expect(answers.count == 1 && answer.status == 206 && answer.range == "bytes=\(start)-" && answer.isComplete)
        #expect(start + answer.bodyBytes == Self.bytes.count)
        if let ifRange { #expect(answer.ifRange == ifRange) }
    }

    /// Expects one range request, which was answered with the whole file.
    func startsOver(whole: [UInt8] = other) async throws {
        let answers = try await answersToRanges()
        let answer = try #require(answers.first)
        #expect(answers.count == 1 && answer.status == 200 && answer.bodyBytes == whole.count)
    }
}

extension Trait where Self == ConditionTrait {
    /// Leaves a suite out, and says so, where there is no nginx.
    static var needsNginx: Self { .enabled(if: NginxServer.isPossible, "\(NginxServer.requirement)") }
}
