import Foundation

/// Takes one request head after another from a connection's bytes.
struct RequestReader {
    /// No client of ours sends more. A longer head is cut off.
    private static let longestHead = 1 << 20
    private static let end = Data("\r\n\r\n".utf8)

    private let connection: any Connection
    private var buffer = Data()
    private var incoming = [UInt8](repeating: 0, count: 16_384)

    init(_ connection: any Connection) {
        self.connection = connection
    }

    /// Waits for a whole request head; `nil` when the client has gone or does not speak HTTP/1.
    mutating func next() -> ReceivedRequest? {
        while true {
            if let end = buffer.range(of: Self.end) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer = Data(buffer[end.upperBound...])
                return Self.parse(head)
            }
            guard buffer.count < Self.longestHead else { return nil }
            let connection = connection
            let count = incoming.withUnsafeMutableBytes { connection.read(into: $0) }
            guard count > 0 else { return nil }
            buffer += incoming[..<count]
        }
    }

    private static func parse(_ head: String) -> ReceivedRequest? {
        let lines = head.split(separator: "\r\n")
        let parts = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
        var fields = ReceivedFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(name: String(line[..<colon]), value: String(value))
        }
        return ReceivedRequest(
            method: String(parts[0]),
            target: String(parts[1]),
            version: String(parts[2]),
            fields: fields
        )
    }
}
