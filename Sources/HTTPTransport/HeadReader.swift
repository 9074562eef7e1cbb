import HTTPSyntax

/// Builds a response head from the lines that libcurl passes on one by one.
struct HeadReader {
    /// The limit for all heads of a response together, including interim ones.
    static let byteLimit = 300 * 1024

    private var status: Int?
    private var version = 0
    private var fields = HTTPFields()
    private var isComplete = false
    private var byteCount = 0

    /// Whether any line has arrived.
    var hasBegun: Bool { byteCount > 0 }
    var isTooLarge: Bool { byteCount > Self.byteLimit }

    /// Appends a line with its line end. Returns false if the head is too large.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        guard count(line) else { return false }
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            readStatusLine(line)
        } else if line.first == 0x0D || line.first == 0x0A {
            isComplete = true
        } else {
            fields.append(line: line)
        }
        return true
    }

    /// Counts a line that is otherwise ignored. Returns false if the head is too large.
    mutating func count(_ line: UnsafeRawBufferPointer) -> Bool {
        byteCount += line.count
        return !isTooLarge
    }

    /// Removes and returns the final head if its last line has arrived. Drops interim heads.
    mutating func popFinalHead() -> ResponseHead? {
        guard isComplete else { return nil }
        isComplete = false
        guard let status, status >= 200 else {
            status = nil
            fields = HTTPFields()
            return nil
        }
        return ResponseHead(status: status, fields: fields, isMessageFramed: version >= 2)
    }

    private mutating func readStatusLine(_ line: UnsafeRawBufferPointer) {
        fields = HTTPFields()
        version = line.dropFirst(5).first.map { Int($0) - 0x30 } ?? 0
        // "HTTP/1.1 200 OK". libcurl has already rejected a status that is not a number.
        let digits = line.drop(while: { $0 != 0x20 }).dropFirst().prefix(while: { (0x30...0x39).contains($0) })
        status = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}
