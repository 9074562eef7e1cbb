/// Takes one frame after another from a connection's bytes.
struct HTTP2FrameReader {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let connection: any Connection
    private var buffer: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: 16_384)

    init(_ connection: any Connection) {
        self.connection = connection
    }

    /// Whether the client begins as one of HTTP/2 does.
    mutating func takePreface() -> Bool {
        take(Self.preface.count) == Self.preface
    }

    /// Waits for a whole frame; `nil` when there won't be one.
    mutating func next() -> HTTP2Frame? {
        guard let head = take(9) else { return nil }
        let count = Int(HTTP2Frame.number(head[..<3]))
        guard count <= HTTP2Frame.largestPayload, let payload = take(count) else { return nil }
        let stream = HTTP2Frame.number(head[5...]) & 0x7FFF_FFFF
        return HTTP2Frame(kind: head[3], flags: head[4], stream: stream, payload: payload)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count {
            let connection = connection
            let arrived = incoming.withUnsafeMutableBytes { connection.read(into: $0) }
            guard arrived > 0 else { return nil }
            buffer += incoming[..<arrived]
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }
}
