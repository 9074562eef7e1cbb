import Foundation

/// What the server sends for one request: a value that starts as something right and is then bent.
///
/// Positions in a reply count bytes of its body, in a raw one all its bytes. `Reply+Faults` and `Reply+Fields` bend it.
package struct Reply: Sendable {
    enum Head: Sendable {
        /// A status line and field lines, each without its end.
        case lines([String])
        /// Sent as it is.
        case verbatim([UInt8])
    }

    enum Framing: Sendable {
        /// The bytes as they are.
        case plain
        case chunked(size: Int, trailers: [String])
    }

    /// Something that happens when this many bytes of the body have been sent.
    struct Mark: Sendable {
        enum Event: Sendable {
            case close, closeUnannounced, reset, stall
            case gate(Gate)
            /// Only over HTTP/2.
            case resetStream(code: UInt32), goAway
        }
        var position: Int
        var event: Event
    }

    /// This many bytes at a time, and a pause after each time.
    struct Pace: Sendable {
        var bytes: Int
        var interval: Duration
        var appliesToHead: Bool
        /// What says how long each pause is, in place of the interval.
        var bucket: TokenBucket?
    }

    var heldBackBy: Gate?
    var interim: [Int] = []
    var head: Head
    var body: ReplyBody
    var framing = Framing.plain
    var marks: [Mark] = []
    var pace: Pace?
    var closes = false

    init(head: Head, body: ReplyBody) {
        self.head = head
        self.body = body
    }
}

extension Reply {
    /// A whole answer of this status, with Date and Content-Length.
    package static func status(
        _ code: Int,
        fields: KeyValuePairs<String, String> = [:],
        body: [UInt8] = []
    ) -> Reply {
        let own = fields.map { "\($0.key): \($0.value)" }
        let lines = [StatusLine.of(code), "Date: \(Date().httpText)"] + own + ["Content-Length: \(body.count)"]
        return Reply(head: .lines(lines), body: ReplyBody(body))
    }

    /// A whole answer of this status with a text for its body.
    package static func status(_ code: Int, fields: KeyValuePairs<String, String> = [:], body: String) -> Reply {
        status(code, fields: fields, body: Array(body.utf8))
    }

    /// An answer that sends the client elsewhere. The location is sent as it stands.
    package static func redirect(to location: String, status code: Int = 302) -> Reply {
        status(code, fields: ["Location": location])
    }

    /// Any bytes at all, without head or framing, and then by default an orderly close.
    package static func raw(_ bytes: [UInt8], closes: Bool = true) -> Reply {
        var reply = Reply(head: .verbatim([]), body: ReplyBody(bytes))
        reply.closes = closes
        return reply
    }

    /// Any text at all, without head or framing.
    package static func raw(_ text: String, closes: Bool = true) -> Reply {
        raw(Array(text.utf8), closes: closes)
    }

    /// These head lines exactly (the first is the status line), an empty line, and this body. Nothing is added.
    ///
    /// The connection stays open if a line gives the body's end: Content-Length or Transfer-Encoding.
    package static func bytes(_ headLines: [String], _ body: [UInt8] = []) -> Reply {
        var reply = Reply(head: .lines(headLines), body: ReplyBody(body))
        reply.closes = !headLines.contains { line in
            ["content-length", "transfer-encoding"].contains { line.lowercased().hasPrefix($0) }
        }
        return reply
    }

    /// These head lines exactly, and a text for the body.
    package static func bytes(_ headLines: [String], _ body: String) -> Reply {
        bytes(headLines, Array(body.utf8))
    }

    /// Not a byte, and an orderly close.
    package static var hangUp: Reply { raw([UInt8]()) }

    /// Not a byte, and the connection stays as it is until the client goes or the server stops.
    package static var silence: Reply { raw([UInt8]()).stalled(after: 0) }
}

/// A part of an array that is shared and never copied, sent once or over and over.
struct ReplyBody: Sendable {
    let storage: [UInt8]
    let range: Range<Int>
    let isEndless: Bool

    init(_ bytes: [UInt8], range: Range<Int>? = nil) {
        storage = bytes
        self.range = range ?? bytes.indices
        isEndless = false
    }

    /// - Parameter pattern: is not empty.
    init(endless pattern: [UInt8]) {
        let times = max(1, 65_536 / max(1, pattern.count))
        storage = Array(repeatElement(pattern, count: times).joined())
        range = storage.indices
        isEndless = true
    }

    var count: Int { isEndless ? .max : range.count }

    /// Where in the storage the bytes from a position on are: at most `limit` of them, and sometimes fewer.
    func piece(at position: Int, limit: Int) -> Range<Int> {
        let start = range.lowerBound + (isEndless ? position % range.count : position)
        return start..<min(start + limit, range.upperBound)
    }
}
