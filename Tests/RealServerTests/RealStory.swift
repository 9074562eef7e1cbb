import Foundation
import Spate
import TestSupport
import Testing

/// An nginx, and a manager that trusts it.
struct RealStory {
    /// A file's content for stories of interruptions.
    static let bytes = TestBytes.random(count: 3 << 20)
    static let other = TestBytes.random(count: 3 << 20, seed: 2)
    /// Where the first answer stops in such stories, as far as the server is concerned.
    static let stop = 1_040_000
    /// What has certainly arrived by then: the server counts the head, too.
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
            // While the server is down, nobody knows for how many tries that will be.
            $0.retry.maxRetriesWithoutProgress = 100_000
            change(&$0)
        }
    }

    /// A story of the file `f`, whose first answer stops short.
    static func interrupted(_ way: NginxServer.Way, server directives: String = "") async throws -> RealStory {
        let story = try await RealStory(way, settings: .stopping(after: stop, server: directives))
        try story.server.put(bytes, as: "f", modified: date)
        return story
    }

    /// Enqueues a download and returns it when so much of it has been received.
    func begin(
        _ target: String = "/f",
        until received: Int64 = held,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> Download {
        var request = DownloadRequest(server.url(target))
        change(&request)
        let heard = Recorder<Int64>()
        let download = test.manager.download(request, progress: { heard.append($0.receivedBytes) })
        try await heard.wait(for: "\(received) bytes of \(target)", until: { ($0.last ?? 0) >= received })
        return download
    }

    /// Pauses a download, and returns the size of its partial file when that is let go of.
    func pause(_ download: Download) async throws -> Int {
        download.pause()
        try await isLetGo()
        return try partialSize
    }

    /// Returns when nobody writes to a partial file.
    func isLetGo() async throws {
        try await eventually("the partial files are let go of") {
            try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
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

    /// The answers to questions for a part, as soon as there are so many.
    ///
    /// Of an answer that nobody wanted the end of, the log may say nothing: over HTTP/2 the server hears of that with
    /// the next thing said on that connection.
    func answersToRanges(_ count: Int = 1) async throws -> [NginxLogEntry] {
        try await server.waitForLog { $0.filter { $0.range != nil }.count >= count }.filter { $0.range != nil }
    }

    /// Expects one question for a part, which was answered with exactly the bytes that were missing.
    func continues(from held: Int, ifRange: String? = nil) async throws {
        let answers = try await answersToRanges()
        let answer = try #require(answers.first)
        #expect(answers.count == 1 && answer.status == 206 && answer.range == "bytes=\(held)-" && answer.isComplete)
        #expect(held + answer.bodyBytes == Self.bytes.count)
        if let ifRange { #expect(answer.ifRange == ifRange) }
    }

    /// Expects one question for a part, which was answered with the whole.
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
