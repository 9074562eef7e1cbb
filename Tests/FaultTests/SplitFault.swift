import TestSupport
import Testing

/// A wrong answer to a request for a part of `SplitStory.file`. Where it bears bytes that must not be written, they are
/// another version's.
struct SplitFault: Sendable {
    /// The number of the rule in ResumptionRules.md.
    let line: String
    let name: String
    /// Whether nothing comes until the client gives up.
    var stalls = false
    /// Whether the answer brings bytes, but how many of them arrive depends on how busy the machine is. Such a request was
    /// not in vain.
    var bringsSome = false
    let bend: @Sendable (_ asked: Range<Int>, _ right: Reply) -> Reply

    var description: String { "\(line) \(name)" }

    init(
        _ line: String,
        _ name: String,
        stalls: Bool = false,
        bringsSome: Bool = false,
        _ bend: @escaping @Sendable (_ asked: Range<Int>, _ right: Reply) -> Reply
    ) {
        (self.line, self.name, self.stalls, self.bringsSome, self.bend) = (line, name, stalls, bringsSome, bend)
    }

    private static let all = wholes + refusals + strangeParts + otherVersions + interruptions

    static let lines = Set(all.map(\.line)).sorted()

    static func all(of line: String) -> [SplitFault] { all.filter { $0.line == line } }

    private static let total = SplitStory.bytes.count
    private static let newer = SplitStory.newer

    /// A part with these fields and nothing that is not said here but a length that is right.
    private static func part(_ fields: [String], _ body: some Sequence<UInt8>) -> Reply {
        let body = Array(body)
        return .bytes(["HTTP/1.1 206 Partial Content", "Content-Length: \(body.count)"] + fields, body)
    }

    private static func place(_ range: Range<Int>, of total: Int = total) -> String {
        "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
    }

    private static let wholes = [
        SplitFault("S12", "the whole") { _, _ in .status(200, fields: ["ETag": "\"v1\""], body: SplitStory.bytes) },
        SplitFault("S12", "the whole of another version") { _, _ in
            .status(200, fields: ["ETag": "\"v2\"", "Accept-Ranges": "bytes"], body: newer)
        },
    ]

    private static let refusals =
        [400, 403, 404, 416, 500].map { code in
            SplitFault("S13", "\(code)") { _, _ in .status(code, body: "no\n") }
        }
        + [
            SplitFault("S13", "416 of another size") { _, _ in
                .status(416, fields: ["Content-Range": "bytes */\(total - 1)"])
            }
        ]
        + [429, 503].flatMap { code in
            [nil, "1", "100000"].map { wait in
                SplitFault("S14", wait.map { "\(code), to come again after \($0) s" } ?? "\(code)") { _, _ in
                    let reply = Reply.status(code)
                    return wait.map { reply.addingField("Retry-After", $0) } ?? reply
                }
            }
        }

    private static let strangeParts = [
        SplitFault("S11", "a part that begins later") { asked, _ in
            let later = min(asked.lowerBound + 65_536, asked.upperBound - 1)..<asked.upperBound
            return part(["ETag: \"v1\"", place(later)], SplitStory.bytes[later])
        },
        SplitFault("S11", "a part that begins earlier") { asked, _ in
            let earlier = max(asked.lowerBound - 65_536, 0)..<asked.upperBound
            return part(["ETag: \"v1\"", place(earlier)], SplitStory.bytes[earlier])
        },
        SplitFault("S11", "a part that goes on beyond its end") { asked, _ in
            let longer = asked.lowerBound..<min(asked.upperBound + 262_144, total)
            let beyond = newer[asked.upperBound..<longer.upperBound]
            return part(["ETag: \"v1\"", place(longer)], SplitStory.bytes[asked] + beyond)
        },
        SplitFault("S11", "a part that ends early") { asked, _ in
            let half = asked.lowerBound..<(asked.lowerBound + (asked.count + 1) / 2)
            return part(["ETag: \"v1\"", place(half)], SplitStory.bytes[half])
        },
        SplitFault("S11", "a part without a place") { asked, _ in part(["ETag: \"v1\""], newer[asked]) },
        SplitFault("S11", "a part with two places") { asked, _ in
            part(["ETag: \"v1\"", place(asked), place(0..<asked.count)], newer[asked])
        },
        SplitFault("S11", "a part with two places in a field") { asked, _ in
            part(["ETag: \"v1\"", place(asked) + ", bytes 0-9/\(total)"], newer[asked])
        },
        SplitFault("S11", "several parts") { asked, _ in
            let text = "--x\r\n\(place(asked))\r\n\r\n"
            let body = Array(text.utf8) + newer[asked] + Array("\r\n--x--\r\n".utf8)
            return part(["ETag: \"v1\"", "Content-Type: multipart/byteranges; boundary=x"], body)
        },
        SplitFault("S11", "a part of nobody knows how much") { asked, right in
            right.replacingField("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/*")
        },
        SplitFault("S11", "a part without a validator") { asked, _ in part([place(asked)], newer[asked]) },
        SplitFault("S11", "a part with a date alone") { asked, _ in
            part([place(asked), "Last-Modified: Tue, 14 Nov 2023 22:13:21 GMT"], newer[asked])
        },
        SplitFault("S11", "a compressed part") { asked, _ in
            part(["ETag: \"v1\"", "Content-Encoding: gzip", place(asked)], newer[asked])
        },
        SplitFault("S11", "a length below its place's") { asked, right in
            // Without a place nobody could tell.
            asked.count == total ? right : right.replacingField("Content-Length", "\(asked.count / 2)")
        },
        SplitFault("S11", "a length above its place's") { asked, right in
            right.replacingField("Content-Length", "\(asked.count + 1_000)").cut(after: asked.count)
        },
    ]

    private static let otherVersions = [
        SplitFault("S15", "another tag") { asked, _ in part(["ETag: \"v2\"", place(asked)], newer[asked]) },
        SplitFault("S15", "the tag as a weak one") { asked, _ in part(["ETag: W/\"v1\"", place(asked)], newer[asked]) },
        SplitFault("S15", "two tags") { asked, _ in
            part(["ETag: \"v1\"", "ETag: \"v2\"", place(asked)], newer[asked])
        },
        SplitFault("S15", "another total") { asked, _ in
            part(["ETag: \"v1\"", place(asked, of: total + 1)], newer[asked])
        },
        SplitFault("S15", "another date under the tag") { _, right in
            right.replacingField("Last-Modified", "Tue, 14 Nov 2023 22:13:21 GMT")
        },
    ]

    private static let interruptions = [
        SplitFault("S16", "a cut after the head") { _, right in right.cut(after: 0) },
        SplitFault("S16", "a cut in the body") { _, right in right.cut(after: 300_000) },
        SplitFault("S16", "a reset in the body", bringsSome: true) { _, right in right.reset(after: 300_000) },
        SplitFault("S16", "no answer but a close") { _, _ in .hangUp },
        SplitFault("S16", "an answer that is not HTTP") { _, _ in .raw("SSH-2.0-Server\r\n") },
        SplitFault("S16", "a head that breaks off") { _, _ in .raw("HTTP/1.1 206 Partial Content\r\nETag: \"v1") },
        SplitFault("S16", "a body that is too long") { asked, right in
            .bytes(["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", place(asked)], SplitStory.bytes[asked] + newer)
                .chunked()
        },
        SplitFault("S16", "a body that goes on after its length") { asked, _ in
            .bytes(
                ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", place(asked), "Content-Length: \(asked.count)"],
                Array(SplitStory.bytes[asked] + newer[..<100_000])
            ).closing
        },
        SplitFault("S16", "silence in place of a head", stalls: true) { _, _ in .silence },
        SplitFault("S16", "silence in the head", stalls: true) { _, _ in
            .raw("HTTP/1.1 206 Partial Content\r\nETag: \"v1").stalled(after: 30)
        },
        SplitFault("S16", "silence in place of a body", stalls: true) { _, right in right.stalled(after: 0) },
        SplitFault("S16", "silence in the body", stalls: true, bringsSome: true) { _, right in
            right.stalled(after: 300_000)
        },
    ]
}
