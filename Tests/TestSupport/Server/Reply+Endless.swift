extension Reply {
    /// What does not end, until the client goes or the server stops.
    package enum Endless: Sendable, CaseIterable {
        /// One header field after another.
        case fields
        /// One header field whose line does not end.
        case fieldLine
        /// One 103 after another.
        case interim
        /// A body that the connection's end would end.
        case body
        /// A chunked body.
        case chunks
        /// The line of a chunk's size.
        case chunkExtension
        /// A chunked body's trailer fields.
        case trailers
    }

    package static func endless(_ what: Endless, status: Int = 200) -> Reply {
        let head = StatusLine.of(status) + "\r\n"
        let chunkedHead = head + "Transfer-Encoding: chunked\r\n\r\n"
        let filler = String(repeating: "endless", count: 8)
        return switch what {
        case .fields: endless(head, "X-Field: \(filler)\r\n")
        case .fieldLine: endless(head + "X-Field: ", filler)
        case .interim: endless("", "HTTP/1.1 103 Early Hints\r\nLink: </\(filler)>\r\n\r\n")
        case .body: endless(head + "\r\n", filler)
        case .chunks: endless(chunkedHead, "38\r\n\(filler)\r\n")
        case .chunkExtension: endless(chunkedHead + "1;", filler)
        case .trailers: endless(chunkedHead + "1\r\nx\r\n0\r\n", "X-Trailer: \(filler)\r\n")
        }
    }

    private static func endless(_ opening: String, _ pattern: String) -> Reply {
        var reply = Reply(head: .verbatim(Array(opening.utf8)), body: ReplyBody(endless: Array(pattern.utf8)))
        reply.closes = true
        return reply
    }
}
