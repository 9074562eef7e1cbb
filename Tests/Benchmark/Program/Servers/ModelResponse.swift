import Foundation

/// A response of a `ModelServer` that is being sent.
final class ModelResponse {
    private static let largestPiece = 65_536

    let hasFile: Bool
    /// In the server's seconds.
    var startsAt = 0.0
    private var head: Data
    private let file: Data
    /// Of the file.
    private var left: Range<Int>

    /// One without a body.
    init(status: String, fields: [String] = []) {
        (hasFile, file, left) = (false, Data(), 0..<0)
        head = Self.head(status, ["Content-Length: 0"] + fields)
    }

    /// A file of the folder, or the part that is asked for, or 404 or 416.
    convenience init(to request: ModelRequest, in folder: String) {
        let url = URL(fileURLWithPath: folder + "/" + request.name)
        guard !request.name.contains("/"), let file = try? Data(contentsOf: url, options: .alwaysMapped) else {
            self.init(status: "404 Not Found")
            return
        }
        self.init(file: file, for: request)
    }

    private init(file: Data, for request: ModelRequest) {
        let version = "\"\(request.name)-\(file.count)\""
        var (part, status) = (0..<file.count, "200 OK")
        var fields = ["ETag: \(version)", "Accept-Ranges: bytes", "Content-Type: application/octet-stream"]
        if let range = request.range, request.ifRange == nil || request.ifRange == version {
            if range.first < file.count, range.last ?? range.first >= range.first {
                part = range.first..<min(file.count, (range.last ?? file.count) + 1)
                status = "206 Partial Content"
                fields.append("Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.count)")
            } else {
                (part, status) = (0..<0, "416 Range Not Satisfiable")
                fields.append("Content-Range: bytes */\(file.count)")
            }
        }
        (self.file, hasFile) = (file, !part.isEmpty)
        left = request.isHead ? 0..<0 : part
        head = Self.head(status, ["Content-Length: \(part.count)"] + fields)
    }

    var isSent: Bool { head.isEmpty && left.isEmpty }

    /// The next bytes, of the head or of the file. The head comes without regard to the rate.
    func piece(most: Int) -> Data {
        guard head.isEmpty else { return head }
        return file[left.prefix(max(0, min(most, Self.largestPiece)))]
    }

    func advance(by count: Int) {
        if head.isEmpty { left = left.dropFirst(count) } else { head = Data(head.dropFirst(count)) }
    }

    private static func head(_ status: String, _ fields: [String]) -> Data {
        Data(("HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
    }
}
