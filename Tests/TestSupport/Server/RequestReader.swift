import Foundation

/// Takes one request head after another from a connection's bytes.
struct RequestReader {
    /// No client of ours sends more; one that does is cut off.
    private static let longestHead = 1 << 20

    private let connection: any Connection
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var filled = 0

    init(_ connection: any Connection) {
        self.connection = connection
    }

    /// Waits for a whole request head; `nil` when the client has gone or does not speak HTTP/1.
    mutating func next() -> ReceivedRequest? {
        while true {
            if let length = lengthOfHead() { return take(length) }
            if filled == buffer.count {
                guard filled < Self.longestHead else { return nil }
                buffer.append(contentsOf: [UInt8](repeating: 0, count: filled))
            }
            let (connection, start) = (connection, filled)
            let count = buffer.withUnsafeMutableBytes { bytes in
                connection.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            }
            guard count > 0 else { return nil }
            filled += count
        }
    }

    /// The length up to and including the first empty line.
    private func lengthOfHead() -> Int? {
        buffer.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[..<filled])
            while let line = Self.nextLine(&rest) {
                if line.isEmpty { return filled - rest.count }
            }
            return nil
        }
    }

    private mutating func take(_ length: Int) -> ReceivedRequest? {
        let request = buffer.withUnsafeBytes { Self.parse(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        if length < filled {
            buffer.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                memmove(start, start + length, filled - length)
            }
        }
        filled -= length
        return request
    }

    /// Works on pointers with the C library's searches: this is done for each of ten thousand requests, without
    /// optimisation.
    private static func parse(_ head: UnsafeRawBufferPointer) -> ReceivedRequest? {
        var rest = head
        guard let first = nextLine(&rest) else { return nil }
        let parts = text(first).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
        var fields = ReceivedFields()
        while let line = nextLine(&rest), !line.isEmpty {
            guard let colon = index(of: 0x3A, in: line) else { return nil }
            var start = colon + 1
            while start < line.count, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
            fields.append(name: text(name), value: text(UnsafeRawBufferPointer(rebasing: line[start...])))
        }
        return ReceivedRequest(
            method: String(parts[0]),
            target: String(parts[1]),
            version: String(parts[2]),
            fields: fields
        )
    }

    private static func nextLine(_ rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let end = index(of: 0x0A, in: rest) else { return nil }
        let last = end > 0 && rest[end - 1] == 0x0D ? end - 1 : end
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<last])
    }

    private static func index(of byte: Int32, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, byte, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
