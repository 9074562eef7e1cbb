/// A request: only the part of HTTP that Spate uses.
struct DemoRequest: Sendable, Equatable {
    var method = "GET"
    var path: String
    /// The start of the requested range.
    var rangeStart: Int?
    /// The last byte of the requested range, if the request names one.
    var rangeEnd: Int?
    var ifRange: String?

    /// The last part of the path. It identifies the file, even after a redirect.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

}

extension DemoRequest {
    /// - Parameter head: everything up to the empty line.
    init?(head: String) {
        var lines = head.split(separator: "\r\n")[...]
        guard let words = lines.popFirst()?.split(separator: " "), words.count == 3 else { return nil }
        self.init(path: String(words[1]))
        method = String(words[0])
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "range" where value.hasPrefix("bytes="):
                let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
                // Ignore other kinds of ranges, as servers may.
                guard ends.count == 2, let start = Int(ends[0]), start >= 0, ends[1].isEmpty || Int(ends[1]) != nil
                else { continue }
                rangeStart = start
                rangeEnd = Int(ends[1])
            case "if-range": ifRange = String(value)
            default: break
            }
        }
    }
}

/// A response: a head, a part of a file, and how it ends.
struct DemoReply: Sendable, Equatable {
    var status: Int
    var reason: String
    var fields: [String]
    var content = DemoContent(seed: 0, size: 0)
    /// The part of the content that is sent. If the response ends early, the head has promised more.
    var body = 0..<0
    var isChunked = false
    var ending = DemoExchange.End.whole

    /// A response without a body.
    static func bare(_ status: Int, _ reason: String, _ fields: [String] = []) -> DemoReply {
        DemoReply(status: status, reason: reason, fields: fields + ["Content-Length: 0"])
    }

    /// The head, as sent.
    var head: String {
        (["HTTP/1.1 \(status) \(reason)"] + fields + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// The file, or the requested range if the request's validator matches.
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
        let contentRange = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
        return DemoReply(
            status: 206,
            reason: "Partial Content",
            fields: fields + ["Content-Range: \(contentRange)", "Content-Length: \(range.count)"],
            content: content,
            body: range
        )
    }

    /// The same head, but the body ends at this offset of the file.
    func ending(_ ending: DemoExchange.End, at offset: Int) -> DemoReply {
        guard body.contains(offset) else { return self }
        var reply = self
        reply.body = body.lowerBound..<offset
        reply.ending = ending
        return reply
    }
}
