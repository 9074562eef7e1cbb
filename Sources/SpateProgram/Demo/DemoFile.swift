/// A file of the demo's server, and what befalls it.
struct DemoFile: Sendable {
    enum Story: Sendable, CaseIterable {
        /// A process is killed when half of it is here, and another goes on.
        case killed
        /// Nothing but a file.
        case plain
        /// The connection ends twice in the middle.
        case cutTwice
        case pausedHalfway
        /// At first: 503, Retry-After: 1.
        case refusedOnce
        /// Cut halfway, and another file is there by the next try.
        case changed
        /// It moved to another path.
        case redirected
        /// Sent in chunks, without a length.
        case chunked
        /// Cut halfway; the server has neither validators nor ranges.
        case withoutRanges
        /// Cut halfway, and the answer that follows is of another place than was asked for.
        case wrongRange
        /// The connection is reset halfway.
        case reset
    }

    let name: String
    let story: Story
    let content: DemoContent
    /// In bytes a second.
    let rate: Int

    init(_ name: String, _ story: Story, size: Int, rate: Int) {
        // Any seed does that is another one for each file.
        let seed: UInt64 = name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
        self.init(name, story, content: DemoContent(seed: seed, size: size), rate: rate)
    }

    init(_ name: String, _ story: Story, content: DemoContent, rate: Int) {
        self.name = name
        self.story = story
        self.content = content
        self.rate = rate
    }

    /// What the file is in the end.
    var finalContent: DemoContent {
        story == .changed ? DemoContent(seed: content.seed &+ 1, size: content.size / 4 * 3 + 5) : content
    }

    /// Where the first answer stops, in the stories in which it does.
    var half: Int { content.size / 2 }

    private static let mebibyte = 1 << 20

    /// The dozen of the demo. The sizes are no round ones, as those of files seldom are.
    static let all = [
        DemoFile("large.iso", .plain, size: 32 * mebibyte + 17, rate: 10 * mebibyte),
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
