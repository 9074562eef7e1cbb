extension DemoFile {
    /// What the server answers.
    ///
    /// - Parameter visit: the how-manieth request for this file it is, from 1.
    func reply(to request: DemoRequest, visit: Int) -> DemoReply {
        let reply = DemoReply.file(content, tag: "\"v1\"", for: request)
        let isFirst = visit == 1
        switch story {
        case .plain:
            return reply
        case .killed, .pausedHalfway:
            // Nothing but the end of the client ends it, be the machine as slow as it may.
            return isFirst ? reply.ending(.held, at: half) : reply
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
            // Short, so that all of it is on its way before anyone can refuse it.
            return visit == 2 ? .part(content, 4096..<8192, ["ETag: \"v1\""]) : reply
        case .reset:
            return isFirst ? reply.ending(.reset, at: half) : reply
        }
    }
}
