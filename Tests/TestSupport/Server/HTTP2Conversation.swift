import CSpateTestHPACK

/// One connection's life over HTTP/2 (RFC 9113). Requests are answered one after another, each on its stream.
///
/// Of a reply it sends the status, the fields, the body and its events, and the trailers, but no chunks and at no pace.
final class HTTP2Conversation {
    private enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case window = 8
    }

    private struct Frame {
        /// `nil` if it can be ignored.
        let kind: Kind?
        let flags: UInt8
        let stream: UInt32
        let payload: ArraySlice<UInt8>
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let largestPayload = 16_384

    private let connection: any Connection
    private let number: Int
    private let log: ServerLog
    private let handler: @Sendable (ReceivedRequest) -> Reply
    private let decoder: SpateHPACK
    private var unread: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: 16_384)
    /// Requests that have arrived while another one is answered.
    private var waiting: [(stream: UInt32, request: ReceivedRequest)] = []
    private var resetStreams: Set<UInt32> = []
    /// How many bytes of bodies the client takes on the connection, and on a new stream.
    private var room = 65_535
    private var firstRoom = 65_535
    private var addedRoom: [UInt32: Int] = [:]

    /// `nil` if out of memory.
    init?(
        connection: any Connection,
        number: Int,
        log: ServerLog,
        handler: @escaping @Sendable (ReceivedRequest) -> Reply
    ) {
        guard let decoder = spate_hpack_new() else { return nil }
        (self.connection, self.number, self.log, self.handler) = (connection, number, log, handler)
        self.decoder = decoder
    }

    deinit {
        spate_hpack_free(decoder)
    }

    func run() {
        guard let preface = take(Self.preface.count), Array(preface) == Self.preface, send(.settings, on: 0) else {
            return connection.close()
        }
        var turn = 0
        while true {
            while waiting.isEmpty {
                guard let frame = nextFrame(), handle(frame) else { return connection.close() }
            }
            let (stream, head) = waiting.removeFirst()
            turn += 1
            let request = log.received(head, on: connection, number: number, turn: turn)
            let ending = answer(request, on: stream)
            log.answered(request.sequence)
            switch ending {
            case .keepAlive: continue
            case .reset: return connection.reset()
            case .closeUnannounced: return connection.closeUnannounced()
            case .close, .lost: return connection.close()
            }
        }
    }

    // MARK: What the client sends

    /// Waits for this many bytes; `nil` if the client has gone.
    private func take(_ count: Int) -> ArraySlice<UInt8>? {
        while unread.count < count {
            let connection = connection
            let arrived = incoming.withUnsafeMutableBytes { connection.read(into: $0) }
            guard arrived > 0 else { return nil }
            unread += incoming[..<arrived]
        }
        defer { unread.removeFirst(count) }
        return unread[..<count]
    }

    private func nextFrame() -> Frame? {
        guard let head = take(9), let payload = take(Int(Self.number(head[..<3]))) else { return nil }
        let (kind, flags, stream) = (Kind(rawValue: head[3]), head[4], Self.number(head[5...]) & .max >> 1)
        return Frame(kind: kind, flags: flags, stream: stream, payload: payload)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    /// Returns whether the connection goes on.
    private func handle(_ frame: Frame) -> Bool {
        let isAnswer = frame.flags & 1 != 0
        switch frame.kind {
        case .headers:
            guard let request = request(in: frame) else { return false }
            waiting.append((frame.stream, request))
        case .settings where !isAnswer:
            var rest = frame.payload
            while rest.count >= 6 {
                let (name, value) = (Self.number(rest.prefix(2)), Self.number(rest.dropFirst(2).prefix(4)))
                if name == 4 { firstRoom = Int(value) }
                rest = rest.dropFirst(6)
            }
            return send(.settings, flags: 1, on: 0)
        case .ping where !isAnswer: return send(.ping, flags: 1, on: 0, frame.payload)
        case .window:
            let added = Int(Self.number(frame.payload))
            if frame.stream == 0 { room += added } else { addedRoom[frame.stream, default: 0] += added }
        case .reset: resetStreams.insert(frame.stream)
        case .data, .settings, .ping, .goAway, nil: break
        }
        return true
    }

    /// The request whose whole head is in this frame; `nil` if there is none. libcurl's heads always fit into one.
    private func request(in frame: Frame) -> ReceivedRequest? {
        let (endsHead, isPadded, hasPriority) = (frame.flags & 4 != 0, frame.flags & 8 != 0, frame.flags & 32 != 0)
        guard endsHead, !isPadded else { return nil }
        var (names, fields) = ([String: String](), ReceivedFields())
        let isValid = Array(frame.payload.dropFirst(hasPriority ? 5 : 0)).withUnsafeBufferPointer { block in
            var (rest, count, field) = (block.baseAddress, block.count, spate_hpack_field())
            while true {
                let result = spate_hpack_next(decoder, &rest, &count, &field)
                guard result > 0 else { return result == 0 }
                let name = Self.text(field.name, field.name_count)
                let value = Self.text(field.value, field.value_count)
                if name.hasPrefix(":") { names[name] = value } else { fields.append(name: name, value: value) }
            }
        }
        guard isValid, let method = names[":method"], let path = names[":path"] else { return nil }
        return ReceivedRequest(method: method, target: path, version: "HTTP/2", fields: fields)
    }

    private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    // MARK: What it gets

    private func send(_ kind: Kind, flags: UInt8 = 0, on stream: UInt32, _ payload: ArraySlice<UInt8> = []) -> Bool {
        let frame = Array(Self.bytes(UInt32(payload.count)).dropFirst()) + [kind.rawValue, flags] + Self.bytes(stream)
        return (frame + payload).withUnsafeBytes { connection.write($0) } == frame.count + payload.count
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private func answer(_ request: ReceivedRequest, on stream: UInt32) -> ReplyWriter.Ending {
        let reply = handler(request)
        guard pass(reply.heldBackBy), let head = Self.head(reply), send(.headers, flags: 4, on: stream, head) else {
            return .lost
        }
        var position = 0
        for mark in reply.marks {
            guard sendBody(reply, from: &position, to: mark.position, of: request, on: stream) else { return .lost }
            switch mark.event {
            case .gate(let gate): guard pass(gate) else { return .lost }
            case .stall:
                _ = connection.wait(for: nil, upTo: nil)
                return .lost
            case .close: return .close
            case .closeUnannounced: return .closeUnannounced
            case .reset: return connection.waitUntilDelivered() ? .reset : .lost
            case .resetStream(let code):
                return send(.reset, on: stream, Self.bytes(code)[...]) ? .keepAlive : .lost
            case .goAway:
                guard send(.goAway, on: 0, (Self.bytes(stream) + Self.bytes(0))[...]) else { return .lost }
            }
        }
        guard sendBody(reply, from: &position, to: reply.body.count, of: request, on: stream) else { return .lost }
        log.answered(request.sequence)
        if resetStreams.contains(stream) { return .keepAlive }
        let isSent =
            reply.trailers.isEmpty
            ? send(.data, flags: 1, on: stream)
            : send(.headers, flags: 5, on: stream, Self.block(reply.trailers)[...])
        return isSent ? .keepAlive : .lost
    }

    private func pass(_ gate: Gate?) -> Bool {
        guard let gate else { return true }
        gate.arrive()
        return connection.wait(for: gate.descriptor, upTo: nil)
    }

    /// Sends the body up to a position, unless the client resets its stream. Returns whether the connection goes on.
    private func sendBody(
        _ reply: Reply,
        from position: inout Int,
        to end: Int,
        of request: ReceivedRequest,
        on stream: UInt32
    ) -> Bool {
        while position < end, !resetStreams.contains(stream) {
            let streamRoom = firstRoom + addedRoom[stream, default: 0]
            let limit = min(end - position, Self.largestPayload, room, streamRoom)
            guard limit > 0 else {
                guard let frame = nextFrame(), handle(frame) else { return false }
                continue
            }
            let piece = reply.body.piece(at: position, limit: limit)
            log.counted(bodyBytes: piece.count, of: request.sequence)
            guard send(.data, on: stream, reply.body.storage[piece]) else { return false }
            position += piece.count
            room -= piece.count
            addedRoom[stream, default: 0] -= piece.count
        }
        return true
    }

    /// The head of a reply; `nil` if it has no lines.
    private static func head(_ reply: Reply) -> ArraySlice<UInt8>? {
        guard case .lines(let lines) = reply.head, let status = reply.status else { return nil }
        let fields = lines.dropFirst().filter { line in
            !["connection", "transfer-encoding"].contains { line.lowercased().hasPrefix($0) }
        }
        return (field(":status", "\(status)") + block(Array(fields)))[...]
    }

    private static func block(_ lines: [String]) -> [UInt8] {
        lines.flatMap { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return field(name, String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }

    /// A literal field with a literal name, which no table gets (RFC 7541, section 6.2.2).
    private static func field(_ name: String, _ value: String) -> [UInt8] { [0] + string(name) + string(value) }

    private static func string(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        precondition(count < 127 + 128, "a longer text needs another length")
        return (count < 127 ? [UInt8(count)] : [127, UInt8(count - 127)]) + text.utf8
    }
}
