import Spate

/// What `spate demo --serve` serves, and what it says of it.
extension DemoFile {
    /// The dozen of the demo, and what else is good to try a program on.
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

    /// What befalls who asks for it.
    var fate: String {
        switch story {
        case .plain where name == "photos.tar": "an archive that tar unpacks"
        case .plain where name == "not-an-archive.tar": "comes whole, and is no archive"
        case .plain: "comes at \(DownloadFormat.speed(Double(rate)))"
        case .killed, .pausedHalfway: "stops halfway until the client leaves; comes whole to who asks again"
        case .cutTwice: "the connection is cut twice on the way"
        case .refusedOnce: "at first 503 with Retry-After: 1"
        case .changed: "cut halfway, and another file by the next try"
        case .redirected: "302 to another path"
        case .chunked: "sent in chunks, without a length"
        case .withoutRanges: "cut halfway, without ETag and ranges"
        case .wrongRange: "cut halfway, and the rest is at first of another place than asked for"
        case .reset: "the connection is reset halfway"
        }
    }
}
