import HTTPResumption

/// Makes a response head of the lines that libcurl hands over one by one.
struct HeadReader {
    /// What all heads of a response may measure together, interim ones included.
    static let byteLimit = 300 * 1024

    private var status: Int?
    private var version = 0
    private var fields = HTTPFields()
    private var isComplete = false
    private var byteCount = 0

    /// Whether anything has come.
    var hasBegun: Bool { byteCount > 0 }
    var isTooLarge: Bool { byteCount > Self.byteLimit }

    /// Takes one line with its line end; false when there were too many.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        guard count(line) else { return false }
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            begin(line)
        } else if line.first == 0x0D || line.first == 0x0A {
            isComplete = true
        } else {
            fields.append(line: line)
        }
        return true
    }

    /// Counts a line that is otherwise ignored.
    mutating func count(_ line: UnsafeRawBufferPointer) -> Bool {
        byteCount += line.count
        return !isTooLarge
    }

    /// The final head, when the last line was its end; interim heads are dropped.
    mutating func takeFinal() -> ResponseHead? {
        guard isComplete else { return nil }
        isComplete = false
        guard let status, status >= 200 else {
            status = nil
            fields = HTTPFields()
            return nil
        }
        return ResponseHead(status: status, fields: fields, isMessageFramed: version >= 2)
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) {
        fields = HTTPFields()
        version = line.dropFirst(5).first.map { Int($0) - 0x30 } ?? 0
        // "HTTP/1.1 200 OK": libcurl has refused the line already where this is no number.
        let digits = line.drop(while: { $0 != 0x20 }).dropFirst().prefix(while: { (0x30...0x39).contains($0) })
        status = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}
