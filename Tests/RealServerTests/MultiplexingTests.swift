import Foundation
import Spate
import SpateTestSupport
import Testing

/// Many at once over HTTP/2.
@Suite(.takesTurns, .needsNginx) struct MultiplexingTests {
    private static let size = 400_000

    @Test func fiftyDownloadsEightAtATimeShareFewConnections() async throws {
        // The files to pause stop early until a range request.
        let settings = NginxSettings(
            http: "map $uri|$http_range $rate { ~^/p\\d+\\|$ 1; default 0; }",
            server: "limit_rate $rate; limit_rate_after 200k;"
        )
        let story = try await RealStory(.http2, settings: settings) { $0.maxConcurrentDownloads = 8 }
        let names = (0..<50).map { $0 % 5 == 0 ? "p\($0)" : "\($0)" }
        for (number, name) in names.enumerated() { try story.server.put(content(number), as: name) }

        let received = Recorder<String>()
        let downloads = names.map { name in
            story.test.manager.download(story.server.url("/" + name)) { progress in
                if progress.receivedBytes >= 190_000 { received.append(name) }
            }
        }
        let stopping = zip(names, downloads).filter { $0.0.hasPrefix("p") }
        for (name, download) in stopping {
            try await received.wait(for: "the middle of \(name)", until: { $0.contains(name) })
            download.pause()
        }
        for (name, download) in zip(names, downloads) where !name.hasPrefix("p") {
            _ = try await download.ended().get()
        }
        story.test.manager.resumeAll()
        for download in downloads { _ = try await download.ended().get() }

        for (number, name) in names.enumerated() {
            #expect(TestBytes.difference(try story.test.bytes(name), from: content(number)) == nil)
        }
        let log = try await story.server.waitForLog { $0.filter(\.isComplete).count >= 50 }
        let whole = log.filter { $0.range == nil && $0.isComplete }
        let parts = log.filter { $0.range != nil }
        #expect(
            log.allSatisfy { $0.version == "HTTP/2.0" } && whole.count == 40 && whole.allSatisfy { $0.status == 200 }
        )
        #expect(parts.count == 10 && parts.allSatisfy { $0.status == 206 && $0.isComplete })
        // Alone it takes no more than 8; what else runs in this process pushes idle connections out of the loops.
        #expect(Set(log.map(\.connection)).count <= 30)
    }

    @Test func aLimitOfTwoStreamsFailsNothing() async throws {
        let settings = NginxSettings(server: "http2_max_concurrent_streams 2;")
        let story = try await RealStory(.http2, settings: settings) { $0.maxConcurrentDownloads = 8 }
        for number in 0..<50 { try story.server.put(content(number), as: "\(number)") }
        let downloads = story.test.manager.download((0..<50).map { story.server.url("/\($0)") })
        for (number, download) in downloads.enumerated() {
            _ = try await download.ended().get()
            #expect(TestBytes.difference(try story.test.bytes("\(number)"), from: content(number)) == nil)
        }
        let log = try await story.server.waitForLog(50)
        #expect(log.count == 50 && log.allSatisfy { $0.status == 200 && $0.isComplete })
    }

    /// Over one connection several parts would come no sooner than one.
    @Test func partsOfOneFileHaveConnectionsOfTheirOwn() async throws {
        let settings = NginxSettings(server: "limit_rate 2m;")
        let story = try await RealStory(.http2, settings: settings) { $0.connectionsPerDownload = .exactly(4) }
        let bytes = TestBytes.random(count: 8 << 20)
        try story.server.put(bytes, as: "f", modified: RealStory.date)
        _ = try await story.test.manager.download(story.server.url("/f")).ended().get()
        #expect(TestBytes.difference(try story.test.bytes("f"), from: bytes) == nil)
        let log = try await story.server.waitForLog(4)
        let parts = log.filter { $0.version == "HTTP/1.1" }
        let first = try #require(log.first { $0.version == "HTTP/2.0" })
        // Where it is cut the server is told so, and does not go on.
        #expect(log.count == parts.count + 1 && first.range == nil && first.bodyBytes < 5 << 20)
        #expect(Set(parts.map(\.connection)).count >= 3 && parts.allSatisfy { $0.status == 206 })
    }

    // MARK: Streams that nginx resets, because the server behind it breaks off

    @Test(arguments: [false, true])
    func aStreamThatIsResetIsContinuedAndTheOthersGoOn(withoutLength isChunked: Bool) async throws {
        let (gate, names) = (try Gate(), ["a", "b", "c"])
        let origin = try TestServer { request in
            let right = Reply.file(RealStory.bytes, etag: "\"v1\"", for: request)
            let held = (isChunked ? right.chunked() : right).gated(after: 100_000, gate)
            return request.path == "/b" && request.visit == 1 ? held.cut(after: 100_000) : held
        }
        let proxy = """
            proxy_pass http://127.0.0.1:\(origin.port); proxy_http_version 1.1; proxy_buffering off;
            proxy_read_timeout 1h;
            """
        // A part of a stream that is slow for a moment would be another request.
        let story = try await RealStory(.http2, settings: NginxSettings(server: "location / { \(proxy) }")) {
            $0.connectionsPerDownload = .exactly(1)
        }
        let received = Recorder<String>()
        let downloads = names.map { name in
            story.test.manager.download(
                story.server.url("/" + name),
                progress: { if $0.receivedBytes > 0 { received.append(name) } }
            )
        }
        try await gate.reached(times: names.count)
        try await received.wait(for: "some bytes of each", until: { Set($0).count == names.count })
        gate.open()
        for (name, download) in zip(names, downloads) {
            _ = try await download.ended().get()
            let difference = TestBytes.difference(try story.test.bytes(name), from: RealStory.bytes)
            let ranges = origin.requests.filter { $0.path == "/" + name }.map(\.range)
            #expect(difference == nil, "\(name): \(ranges), \(download.remarks), \(story.server.log)")
            // What libcurl has received of a stream and not handed over is lost in a reset.
            let isContinued = ranges.count == 2 && ranges[0] == nil && ranges[1] != nil
            // Without a length, a range request proves the end.
            let whole: [String?] = isChunked ? [nil, .rest(from: RealStory.bytes.count)] : [nil]
            #expect(name == "b" ? isContinued : ranges == whole, "\(name): \(ranges)")
        }
        #expect(story.server.log.allSatisfy { $0.version == "HTTP/2.0" })
    }

    private func content(_ number: Int) -> [UInt8] {
        TestBytes.random(count: Self.size, seed: UInt64(number))
    }
}
