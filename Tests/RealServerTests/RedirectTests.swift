import Foundation
import Spate
import SpateTestSupport
import Testing

/// From an address without encryption to one with it, as servers on the web send everyone.
@Suite(.takesTurns, .needsNginx) struct RedirectTests {
    @Test(arguments: [301, 302, 307, 308], [NginxServer.Way.tls, .http2])
    func aRedirectToTLSIsFollowed(status: Int, to way: NginxServer.Way) async throws {
        let story = try await redirecting(status: status, to: way)
        try story.server.put(RealStory.bytes, as: "f")
        try await story.publishes(story.test.manager.download(story.server.url("/moved/f", over: .plain)))
        let log = try await story.server.waitForLog(2)
        #expect(log.map(\.status) == [status, 200] && log.map(\.target) == ["/moved/f", "/f"])
        #expect(Set(log.map(\.connection)).count == 2)
    }

    @Test(arguments: [NginxServer.Way.tls, .http2])
    func aDownloadBehindARedirectIsContinuedThere(to way: NginxServer.Way) async throws {
        let story = try await redirecting(status: 302, to: way, .stopping(after: RealStory.stop))
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        let download = try await story.begin("/moved/f")
        let held = try await story.pause(download)
        download.resume()
        try await story.publishes(download)
        let answers = try await story.answersToRanges(2)
        #expect(answers.map(\.status) == [302, 206] && answers.allSatisfy { $0.range == .rest(from: held) })
        #expect(held - RealStory.seam + answers[1].bodyBytes == RealStory.bytes.count)
    }

    /// A story in which `/moved` without encryption leads to the same name at the root with it.
    private func redirecting(
        status: Int,
        to way: NginxServer.Way,
        _ settings: NginxSettings = NginxSettings()
    ) async throws -> RealStory {
        let story = try await RealStory(.plain, way)
        var settings = settings
        let root = story.server.url("", over: way)
        settings.server += "location ~ ^/moved(/.*) { return \(status) \(root)$1; }"
        try await story.server.reload(settings)
        return story
    }
}
