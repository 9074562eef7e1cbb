/// Sends one reply on one stream: HEADERS, the body in DATA, and the reply's events at their positions.
///
/// What HTTP/1 alone has is left out: chunks, `Connection`, and a close as the end of the body.
struct HTTP2ReplyWriter {
    private let reply: Reply
    private let total: Int
    private let streams: HTTP2Streams
    private let stream: UInt32
    /// Called before the write after which the client has the whole reply, and before the connection is ended.
    private let answered: () -> Void
    /// Counts body bytes before they are sent.
    private let count: (Int) -> Void
    private var position = 0

    init(
        _ reply: Reply,
        toHead: Bool,
        on streams: HTTP2Streams,
        stream: UInt32,
        answered: @escaping () -> Void,
        count: @escaping (Int) -> Void
    ) {
        self.reply = reply
        self.streams = streams
        self.stream = stream
        self.answered = answered
        self.count = count
        total = toHead ? 0 : reply.body.count
    }

    mutating func send() -> ReplyWriter.Ending {
        do {
            if let gate = reply.heldBackBy { try pass(gate) }
            guard case .lines(let lines) = reply.head else { return try sendRaw() }
            try sendHead(lines)
            for mark in reply.marks {
                try sendBody(upTo: min(mark.position, total), isLast: false)
                if let ending = try perform(mark.event) { return ending }
            }
            try sendBody(upTo: total, isLast: true)
            return .keepAlive
        } catch {
            return .lost
        }
    }

    /// Bytes that are no frames, or are meant to be wrong ones.
    private func sendRaw() throws -> ReplyWriter.Ending {
        try streams.send(raw: Array(reply.body.storage[reply.body.range]))
        for mark in reply.marks {
            if let ending = try perform(mark.event) { return ending }
        }
        return reply.closes ? .close : .keepAlive
    }

    private func sendHead(_ lines: [String]) throws {
        for code in reply.interim { try sendHead([StatusLine.of(code)]) }
        // "HTTP/1.1 200 OK"
        let status = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            let value = line.dropFirst(name.count + 1).drop { $0 == " " }
            return (name: name.lowercased(), value: String(value))
        }
        let sent = fields.filter { !["connection", "transfer-encoding"].contains($0.name) }
        let block = HeaderEncoder.encode([(":status", status)] + sent)
        try streams.send(HTTP2Frame.Kind.headers, flags: HTTP2Frame.Flag.endHeaders, stream: stream, block)
    }

    /// Returns the connection's ending if this event is one, and that it stays where the stream alone ends.
    private func perform(_ event: Reply.Mark.Event) throws -> ReplyWriter.Ending? {
        switch event {
        case .gate(let gate):
            try pass(gate)
            return nil
        case .stall:
            streams.waitUntilClosed(stream)
            throw ReplyOutput.ConnectionLost()
        case .close, .closeUnannounced, .reset:
            // What is still on its way is lost in a reset, and in a close too where the client sends meanwhile.
            guard streams.connection.waitUntilDelivered() else { throw ReplyOutput.ConnectionLost() }
            answered()
            return event.ending
        case .http2(let fault):
            answered()
            return try perform(fault)
        }
    }

    private func perform(_ fault: Reply.HTTP2Fault) throws -> ReplyWriter.Ending? {
        switch fault {
        case .resetStream(let code):
            let number = HTTP2Frame.bytes(of: code.rawValue)
            try streams.send(HTTP2Frame.Kind.resetStream, stream: stream, number)
            return .keepAlive
        case .goAway(let code, let keepsStream):
            // A client's streams have odd numbers, and 0 is none of them.
            let last = keepsStream ? stream : max(stream, 2) - 2
            let numbers = HTTP2Frame.bytes(of: last) + HTTP2Frame.bytes(of: code.rawValue)
            try streams.send(HTTP2Frame.Kind.goAway, numbers)
            return keepsStream ? nil : .keepAlive
        case .endStream:
            try streams.send(HTTP2Frame.Kind.data, flags: HTTP2Frame.Flag.endStream, stream: stream)
            return .keepAlive
        case .tornFrame:
            let head = HTTP2Frame.head(
                kind: HTTP2Frame.Kind.data,
                flags: 0,
                stream: stream,
                count: HTTP2Frame.largestPayload
            )
            let piece = reply.body.piece(at: position, limit: 1_000)
            try streams.send(raw: head + reply.body.storage[piece])
            return .close
        }
    }

    private func pass(_ gate: Gate) throws {
        gate.arrive()
        guard streams.connection.wait(for: gate.descriptor, upTo: nil) else { throw ReplyOutput.ConnectionLost() }
    }

    private mutating func sendBody(upTo end: Int, isLast: Bool) throws {
        while position < end {
            let limit = min(reply.pace?.bytes ?? .max, HTTP2Frame.largestPayload, end - position)
            let claimed = try streams.claim(upTo: reply.body.piece(at: position, limit: limit).count, on: stream)
            let piece = reply.body.piece(at: position, limit: claimed)
            position += piece.count
            count(piece.count)
            let ends = isLast && position == total
            if ends { answered() }
            try streams.send(
                HTTP2Frame.Kind.data,
                flags: ends ? HTTP2Frame.Flag.endStream : 0,
                stream: stream,
                reply.body.storage[piece]
            )
            if ends { return }
            if let pace = reply.pace, !streams.connection.wait(for: nil, upTo: pace.interval) {
                throw ReplyOutput.ConnectionLost()
            }
        }
        guard isLast else { return }
        answered()
        try streams.send(HTTP2Frame.Kind.data, flags: HTTP2Frame.Flag.endStream, stream: stream)
    }
}

extension Reply.Mark.Event {
    fileprivate var ending: ReplyWriter.Ending? {
        switch self {
        case .close: .close
        case .closeUnannounced: .closeUnannounced
        case .reset: .reset
        case .stall, .gate, .http2: nil
        }
    }
}
