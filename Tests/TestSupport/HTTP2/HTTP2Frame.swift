/// A frame of HTTP/2 (RFC 9113, 4.1).
struct HTTP2Frame {
    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let resetStream: UInt8 = 3
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    enum Flag {
        /// Of DATA and HEADERS.
        static let endStream: UInt8 = 0x1
        /// Of SETTINGS and PING.
        static let acknowledgement: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    /// What every client takes; none has asked us for more.
    static let largestPayload = 16_384

    var kind: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    /// The nine bytes before a payload.
    static func head(kind: UInt8, flags: UInt8, stream: UInt32, count: Int) -> [UInt8] {
        bytes(of: UInt32(count)).dropFirst() + [kind, flags] + bytes(of: stream)
    }

    static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The payload of HEADERS, without padding and priority.
    var headerBlock: ArraySlice<UInt8> {
        var block = payload[...]
        if flags & Flag.padded != 0, let count = block.popFirst() { block = block.dropLast(Int(count)) }
        return flags & Flag.priority != 0 ? block.dropFirst(5) : block
    }
}
