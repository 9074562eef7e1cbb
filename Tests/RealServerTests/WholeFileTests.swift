import Foundation
import Spate
import SpateTestSupport
import Testing

/// What a server that does its best serves.
@Suite(.takesTurns, .needsNginx) struct WholeFileTests {
    @Test(arguments: NginxServer.Way.allCases)
    func filesOfAnySizeArriveWhole(over way: NginxServer.Way) async throws {
        let story = try await RealStory(way)
        let sizes = [0, 1, 1 << 20, 20 << 20]
        for size in sizes { try story.server.put(TestBytes.random(count: size), as: "\(size)") }
        let downloads = story.test.manager.download(sizes.map { story.server.url("/\($0)") })
        for (download, size) in zip(downloads, sizes) {
            _ = try await download.ended().get()
            #expect(TestBytes.difference(try story.test.bytes("\(size)"), from: TestBytes.random(count: size)) == nil)
            #expect(download.remarks.isEmpty)
        }
        let log = try await story.server.waitForLog(sizes.count)
        #expect(log.map(\.bodyBytes).sorted() == sizes && log.allSatisfy { $0.status == 200 && $0.range == nil })
        #expect(log.allSatisfy { $0.version == (way == .http2 ? "HTTP/2.0" : "HTTP/1.1") })
    }

    @Test(arguments: NginxServer.Way.allCases)
    func manySmallFilesTakeFewConnections(over way: NginxServer.Way) async throws {
        let connections = try await downloadMany(150, over: way, settings: NginxSettings())
        // Three at a time; others that share the loops may push an idle connection out now and then.
        #expect(connections <= 30)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aConnectionThatEndsAfterFiveRequestsFailsNothing(over way: NginxServer.Way) async throws {
        let settings = NginxSettings(server: "keepalive_requests 5;")
        let connections = try await downloadMany(60, over: way, settings: settings)
        #expect(connections >= 12)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aCompressibleFileArrivesAsItIs(over way: NginxServer.Way) async throws {
        let settings = NginxSettings(server: "gzip on; gzip_types *; gzip_min_length 0; gzip_vary on;")
        let story = try await RealStory(way, settings: settings)
        let text = Array(String(repeating: "the same again, ", count: 50_000).utf8)
        try story.server.put(text, as: "f.txt")
        let download = story.test.manager.download(story.server.url("/f.txt"))
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try story.test.bytes("f.txt"), from: text) == nil)
        #expect(download.remarks.isEmpty)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aBodyOfUnknownLengthArrivesWhole(over way: NginxServer.Way) async throws {
        let settings = NginxSettings(server: "ssi on; ssi_types *;")
        let story = try await RealStory(way, settings: settings)
        try story.server.put(RealStory.bytes, as: "f")
        let download = story.test.manager.download(story.server.url("/f"))
        try await story.publishes(download)
        // Chunks and frames have an end of their own.
        #expect(download.remarks.isEmpty && download.progress.totalBytes == Int64(RealStory.bytes.count))
    }

    /// Downloads this many small files, three at a time, expects each whole after one answer, and returns how many
    /// connections that took.
    private func downloadMany(_ count: Int, over way: NginxServer.Way, settings: NginxSettings) async throws -> Int {
        let story = try await RealStory(way, settings: settings)
        let files = (0..<count).map { TestBytes.random(count: $0 * 37, seed: UInt64($0)) }
        for (number, bytes) in files.enumerated() { try story.server.put(bytes, as: "\(number)") }
        let downloads = story.test.manager.download(files.indices.map { story.server.url("/\($0)") })
        for (number, download) in downloads.enumerated() {
            _ = try await download.ended().get()
            #expect(TestBytes.difference(try story.test.bytes("\(number)"), from: files[number]) == nil)
        }
        let log = try await story.server.waitForLog(count)
        #expect(log.count == count && log.allSatisfy { $0.status == 200 && $0.isComplete })
        return Set(log.map(\.connection)).count
    }
}
