import Spate

/// A file of the demo's server, and how the server behaves.
struct DemoFile: Sendable {
    enum Scenario: Sendable, CaseIterable {
        /// A process is killed when it has half of the file, and another one continues.
        case killed
        /// No fault.
        case plain
        /// Four connections share a file whose server sends slowly over each.
        case divided
        /// The connection is cut twice.
        case cutTwice
        case pausedHalfway
        /// The first response is 503 with Retry-After: 1.
        case refusedOnce
        /// Cut halfway. The next request finds another version.
        case changed
        /// A redirect to another path.
        case redirected
        /// Chunked, without a length.
        case chunked
        /// Cut halfway. The server supports neither validators nor ranges.
        case withoutRanges
        /// Cut halfway. The next response has the wrong range.
        case wrongRange
        /// The connection is reset halfway.
        case reset
    }

    let name: String
    let scenario: Scenario
    let content: DemoContent
    /// Bytes per second.
    let rate: Int

    init(_ name: String, _ scenario: Scenario, size: Int, rate: Int) {
        // Any seed works, if it differs for each file.
        let seed: UInt64 = name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
        self.init(name, scenario, content: DemoContent(seed: seed, size: size), rate: rate)
    }

    init(_ name: String, _ scenario: Scenario, content: DemoContent, rate: Int) {
        self.name = name
        self.scenario = scenario
        self.content = content
        self.rate = rate
    }

    /// The content that the file has in the end.
    var finalContent: DemoContent {
        scenario == .changed ? DemoContent(seed: content.seed &+ 1, size: content.size / 4 * 3 + 5) : content
    }

    /// Where the first response stops, in some scenarios.
    var half: Int { content.size / 2 }

    private static let mebibyte = 1 << 20

    /// The twelve files of the demo. Their sizes are not round, as in real life.
    static let all = [
        DemoFile("large.iso", .divided, size: 32 * mebibyte + 17, rate: 10 * mebibyte),
        DemoFile("slow-line.flac", .plain, size: mebibyte + 333_333, rate: mebibyte / 4),
        DemoFile("cut-twice.zip", .cutTwice, size: 6 * mebibyte + 1, rate: 4 * mebibyte),
        DemoFile("paused-halfway.mp4", .pausedHalfway, size: 8 * mebibyte + 99, rate: 6 * mebibyte),
        DemoFile("busy-server.deb", .refusedOnce, size: 3 * mebibyte + 5, rate: 6 * mebibyte),
        DemoFile("changes-midway.tar", .changed, size: 4 * mebibyte + 1234, rate: 6 * mebibyte),
        DemoFile("moved.pdf", .redirected, size: 2 * mebibyte + 3, rate: 4 * mebibyte),
        DemoFile("no-length.json", .chunked, size: 2 * mebibyte + 777, rate: 4 * mebibyte),
        DemoFile("no-ranges.img", .withoutRanges, size: 3 * mebibyte + 11, rate: 6 * mebibyte),
        DemoFile("wrong-range.bin", .wrongRange, size: 3 * mebibyte + 13, rate: 6 * mebibyte),
        DemoFile("reset.tar.gz", .reset, size: 3 * mebibyte + 15, rate: 6 * mebibyte),
        DemoFile("survives-kill-9.iso", .killed, size: 8 * mebibyte + 21, rate: 12 * mebibyte),
    ]
}

extension DemoFile {
    /// The server's response.
    ///
    /// - Parameter visit: 1 for the first request for this file.
    func reply(to request: DemoRequest, visit: Int) -> DemoReply {
        let reply = DemoReply.file(content, tag: "\"v1\"", for: request)
        let isFirst = visit == 1
        switch scenario {
        case .plain, .divided:
            return reply
        case .killed, .pausedHalfway:
            // Only the client can end this response, so a slow machine does not matter.
            return isFirst ? reply.ending(.clientLeft, at: half) : reply
        case .cutTwice:
            return visit < 3 ? reply.ending(.cut, at: content.size * visit / 3) : reply
        case .refusedOnce:
            return isFirst ? .bare(503, "Service Unavailable", ["Retry-After: 1"]) : reply
        case .changed:
            return isFirst ? reply.ending(.cut, at: half) : .file(finalContent, tag: "\"v2\"", for: request)
        case .redirected:
            return request.path == "/\(name)" ? .bare(302, "Found", ["Location: /new-place/\(name)"]) : reply
        case .chunked:
            var reply = DemoReply.whole(content, [])
            reply.fields = ["ETag: \"v1\"", "Transfer-Encoding: chunked"]
            reply.isChunked = true
            return reply
        case .withoutRanges:
            let whole = DemoReply.whole(content, [])
            return isFirst ? whole.ending(.cut, at: half) : whole
        case .wrongRange:
            if isFirst { return reply.ending(.cut, at: half) }
            // Short, so that all of it is sent before the client can refuse it.
            return visit == 2 ? .part(content, 4096..<8192, ["ETag: \"v1\""]) : reply
        case .reset:
            return isFirst ? reply.ending(.reset, at: half) : reply
        }
    }
}

/// The files of `spate demo --serve`.
extension DemoFile {
    /// The files of the demo, and some more to try programs on.
    static let served =
        all + [
            DemoFile("photos.tar", .plain, content: DemoContent(stored: photos.bytes), rate: 1 << 20),
            DemoFile("not-an-archive.tar", .plain, size: 99_999, rate: 1 << 20),
        ]

    private static let photos = DemoArchive([
        ("photos/README", Array("Two photos, of nothing but noise.\n".utf8)),
        ("photos/1.raw", DemoContent(seed: 1, size: 123_456).bytes(0..<123_456)),
        ("photos/2.raw", DemoContent(seed: 2, size: 65_432).bytes(0..<65_432)),
    ])

    /// What happens to a client, in a few words.
    var behaviour: String {
        switch scenario {
        case .plain where name == "photos.tar": "a tar archive"
        case .plain where name == "not-an-archive.tar": "arrives complete, but is not an archive"
        case .divided: "arrives at \(DownloadFormat.speed(Double(rate))) over each connection"
        case .plain: "arrives at \(DownloadFormat.speed(Double(rate)))"
        case .killed, .pausedHalfway: "stops halfway until the client leaves; the next response is complete"
        case .cutTwice: "the connection is cut twice"
        case .refusedOnce: "first 503 with Retry-After: 1"
        case .changed: "cut halfway; then another version of the file"
        case .redirected: "302 to another path"
        case .chunked: "chunked, without a length"
        case .withoutRanges: "cut halfway; no ETag and no range support"
        case .wrongRange: "cut halfway; then a response with the wrong range"
        case .reset: "the connection is reset halfway"
        }
    }
}
