/// Sends one reply over one connection: head, body in its framing, and the reply's events at their positions.
struct ReplyWriter {
    /// What becomes of the connection after a reply.
    enum Ending {
        case keepAlive, close, closeUnannounced, reset, lost
    }

    private static let largestPiece = 1 << 20

    private let reply: Reply
    private let total: Int
    /// Where the client has all that the head promises: what is sent beyond it belongs to no reply.
    private let promised: Int
    private let chunkSize: Int?
    private let output: ReplyOutput
    /// Called before the write after which the client has the whole reply, and before the connection is ended.
    private let answered: () -> Void
    private var position = 0
    private var leftInChunk = 0

    init(_ reply: Reply, output: ReplyOutput, answered: @escaping () -> Void) {
        self.reply = reply
        self.output = output
        self.answered = answered
        total = reply.body.count
        promised = min(total, reply.contentLength ?? total)
        if case .chunked(let size, _) = reply.framing { chunkSize = size } else { chunkSize = nil }
    }

    mutating func send() -> Ending {
        do {
            if let gate = reply.heldBackBy { try pass(gate) }
            try sendHead()
            for mark in reply.marks {
                try sendBody(upTo: min(mark.position, total))
                try output.flush()
                if let ending = try perform(mark.event) { return ending }
            }
            try sendBody(upTo: total)
            try sendEnd()
            return reply.closes ? .close : .keepAlive
        } catch {
            return .lost
        }
    }

    private mutating func sendHead() throws {
        if let pace = reply.pace, pace.appliesToHead { output.pace = pace }
        for code in reply.interim { output.append(StatusLine.of(code) + "\r\n\r\n") }
        switch reply.head {
        case .verbatim(let bytes): output.append(bytes)
        case .lines(let lines):
            for line in lines { output.append(line + "\r\n") }
            output.append("\r\n")
        }
        if let pace = reply.pace {
            try output.flush()
            output.pace = pace
        }
    }

    /// Returns the connection's ending if this event is one.
    private func perform(_ event: Reply.Mark.Event) throws -> Ending? {
        switch event {
        case .gate(let gate):
            try pass(gate)
            return nil
        case .stall:
            _ = output.connection.wait(for: nil, upTo: nil)
            throw ReplyOutput.ConnectionLost()
        case .close:
            answered()
            return .close
        case .closeUnannounced:
            answered()
            return .closeUnannounced
        case .reset:
            // A reset throws away what is still on its way.
            guard output.connection.waitUntilDelivered() else { throw ReplyOutput.ConnectionLost() }
            answered()
            return .reset
        case .resetStream, .goAway: preconditionFailure("HTTP/1.1 has no streams")
        }
    }

    private func pass(_ gate: Gate) throws {
        gate.arrive()
        guard output.connection.wait(for: gate.descriptor, upTo: nil) else { throw ReplyOutput.ConnectionLost() }
    }

    private mutating func sendBody(upTo end: Int) throws {
        while position < end {
            var limit = min(output.pace?.bytes ?? Self.largestPiece, end - position)
            if let chunkSize {
                if leftInChunk == 0 {
                    leftInChunk = min(chunkSize, total - position)
                    output.append(String(leftInChunk, radix: 16) + "\r\n")
                }
                limit = min(limit, leftInChunk)
            }
            let piece = reply.body.piece(at: position, limit: limit)
            position += piece.count
            if position >= promised, chunkSize == nil { answered() }
            try output.appendBody(reply.body.storage, piece)
            if chunkSize != nil {
                leftInChunk -= piece.count
                if leftInChunk == 0 { output.append("\r\n") }
            }
        }
    }

    private func sendEnd() throws {
        if chunkSize != nil, case .chunked(_, let trailers) = reply.framing {
            output.append("0\r\n")
            for trailer in trailers { output.append(trailer + "\r\n") }
            output.append("\r\n")
        }
        answered()
        try output.flush()
    }
}
