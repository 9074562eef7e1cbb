import SpateHTTPSyntax

/// Builds a response head from the lines that libcurl passes on one by one.
struct HeadReader {
    /// The limit for all heads of a response together, including interim ones.
    static let byteLimit = 300 * 1024

    enum Step {
        case nextLine
        /// The final head is complete.
        case head(ResponseHead)
        case tooLarge
    }

    private static let statusLineStart = Array("HTTP/".utf8)

    private var status = 0
    private var version = 0
    private var fields = HTTPFields()
    private var isFinal = false
    private var byteCount = 0

    /// Whether any line has arrived.
    var hasBegun: Bool { byteCount > 0 }
    var isTooLarge: Bool { byteCount > Self.byteLimit }

    /// Reads a line with its line end. Lines after the final head are trailers, which are ignored.
    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        byteCount += line.count
        if isTooLarge { return .tooLarge }
        if isFinal { return .nextLine }
        switch line.first {
        case 0x0D, 0x0A: return end()
        case UInt8(ascii: "H") where line.starts(with: Self.statusLineStart): readStatusLine(line)
        default: fields.append(line: line)
        }
        return .nextLine
    }

    /// Drops an interim head.
    private mutating func end() -> Step {
        isFinal = status >= 200
        if isFinal { return .head(ResponseHead(status: status, fields: fields, isMessageFramed: version >= 2)) }
        (status, fields) = (0, HTTPFields())
        return .nextLine
    }

    private mutating func readStatusLine(_ line: UnsafeRawBufferPointer) {
        fields = HTTPFields()
        version = line.dropFirst(5).first.map { Int($0) - 0x30 } ?? 0
        // "HTTP/1.1 200 OK". libcurl has already rejected a status that is not a number.
        let digits = line.drop(while: { $0 != 0x20 }).dropFirst().prefix(while: { (0x30...0x39).contains($0) })
        status = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}
