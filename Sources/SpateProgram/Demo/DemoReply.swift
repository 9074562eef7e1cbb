/// What the demo's server answers: a head, a part of a file's bytes, and how it ends.
struct DemoReply: Sendable, Equatable {
    enum Ending: Sendable, Equatable {
        case whole
        /// The connection is closed early.
        case cut
        /// The connection is reset early.
        case reset
        /// Nothing more comes until the client goes away.
        case held
    }

    var status: Int
    var reason: String
    var fields: [String]
    var content = DemoContent(seed: 0, size: 0)
    /// What is sent of the content. Where the ending is an early one, the head has promised more.
    var body = 0..<0
    var isChunked = false
    var ending = Ending.whole

    /// An answer without a body.
    static func bare(_ status: Int, _ reason: String, _ fields: [String] = []) -> DemoReply {
        DemoReply(status: status, reason: reason, fields: fields + ["Content-Length: 0"])
    }

    /// The head as it is sent.
    var head: String {
        (["HTTP/1.1 \(status) \(reason)"] + fields + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// The file, or the part of it that was asked for, of the version that the tag names.
    static func file(_ content: DemoContent, tag: String, for request: DemoRequest) -> DemoReply {
        let kind = ["ETag: \(tag)", "Accept-Ranges: bytes"]
        guard let start = request.rangeStart, request.ifRange ?? tag == tag else { return whole(content, kind) }
        guard start < content.size else {
            return bare(416, "Range Not Satisfiable", ["Content-Range: bytes */\(content.size)"])
        }
        let end = min(request.rangeEnd ?? content.size - 1, content.size - 1)
        guard end >= start else { return whole(content, kind) }
        return part(content, start..<(end + 1), kind)
    }

    static func whole(_ content: DemoContent, _ fields: [String]) -> DemoReply {
        let fields = fields + ["Content-Length: \(content.size)"]
        return DemoReply(status: 200, reason: "OK", fields: fields, content: content, body: 0..<content.size)
    }

    static func part(_ content: DemoContent, _ range: Range<Int>, _ fields: [String]) -> DemoReply {
        let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
        return DemoReply(
            status: 206,
            reason: "Partial Content",
            fields: fields + ["Content-Range: \(place)", "Content-Length: \(range.count)"],
            content: content,
            body: range
        )
    }

    /// The same head, but the body ends early, at this offset of the file.
    func ending(_ ending: Ending, at offset: Int) -> DemoReply {
        guard body.contains(offset) else { return self }
        var reply = self
        reply.body = body.lowerBound..<offset
        reply.ending = ending
        return reply
    }
}
