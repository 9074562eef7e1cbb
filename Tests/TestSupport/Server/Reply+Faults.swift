/// What goes wrong while a reply is sent, and how fast it goes. Faults at several positions may be combined.
extension Reply {
    /// Closes the connection in order, TLS's too, after this many bytes.
    package func cut(after count: Int) -> Reply { marked(count, .close) }

    /// Closes the connection after this many bytes, in order for TCP but without TLS's close_notify.
    package func cutUnannounced(after count: Int) -> Reply { marked(count, .closeUnannounced) }

    /// Resets the connection once this many bytes have arrived at the client's machine.
    package func reset(after count: Int) -> Reply { marked(count, .reset) }

    /// Resets the stream after this many bytes, with an error's number (RFC 9113, section 7). Only over HTTP/2.
    package func resetStream(after count: Int, code: UInt32 = 0) -> Reply { marked(count, .resetStream(code: code)) }

    /// Says after this many bytes that the connection takes no more requests, and goes on. Only over HTTP/2.
    package func goingAway(after count: Int) -> Reply { marked(count, .goAway) }

    /// Sends this many bytes and then nothing, until the client goes or the server stops.
    package func stalled(after count: Int) -> Reply { marked(count, .stall) }

    /// Sends this many bytes and goes on when the gate is open.
    package func gated(after count: Int, _ gate: Gate) -> Reply { marked(count, .gate(gate)) }

    /// Sends not even the head before the gate is open.
    package func heldBack(by gate: Gate) -> Reply {
        changing { $0.heldBackBy = gate }
    }

    /// Sends the body this many bytes at a time, with a pause after each; the head too where that is asked for.
    package func dripped(bytes: Int, every interval: Duration, includingHead: Bool = false) -> Reply {
        precondition(bytes > 0, "a drip has at least one byte")
        return changing { $0.pace = Pace(bytes: bytes, interval: interval, appliesToHead: includingHead) }
    }

    /// Sends the body at this speed.
    package func throttled(bytesPerSecond: Int) -> Reply {
        precondition(bytesPerSecond > 0, "a speed is above zero")
        let bytes = max(1, bytesPerSecond / 50)
        return dripped(bytes: bytes, every: .seconds(Double(bytes) / Double(bytesPerSecond)))
    }

    func marked(_ position: Int, _ event: Mark.Event) -> Reply {
        precondition(position >= 0, "a position is not negative")
        return changing { reply in
            // A stable order: of two events at one position, the one written first happens first.
            let place = reply.marks.firstIndex { $0.position > position } ?? reply.marks.endIndex
            reply.marks.insert(Mark(position: position, event: event), at: place)
        }
    }
}

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
