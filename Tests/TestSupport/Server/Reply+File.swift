import Foundation

extension Reply {
    /// What a correct origin server answers to this request for this file: 200, 206, 304 or 416, with the fields that
    /// belong to it.
    ///
    /// Understands a Range of one part; ignores others, as a server may.
    package static func file(_ file: TestFile, for request: ReceivedRequest) -> Reply {
        let total = file.bytes.count
        var lines = ["Date: \(Date().httpText)", "Accept-Ranges: bytes"]
        if let etag = file.etag { lines.append("ETag: \(etag)") }
        if let date = file.lastModified { lines.append("Last-Modified: \(date.httpText)") }
        lines += file.fields.map { "\($0.name): \($0.value)" }

        if file.isUnchanged(for: request) {
            return Reply(head: .lines([StatusLine.of(304)] + lines), body: ReplyBody([]))
        }
        let part: RequestedPart
        if let range = request.range, request.ifRange.map(file.matches) ?? true {
            part = RequestedPart(range, total: total)
        } else {
            part = .everything
        }
        switch part {
        case .everything:
            lines = [StatusLine.of(200)] + lines + ["Content-Length: \(total)"]
            return Reply(head: .lines(lines), body: ReplyBody(file.bytes))
        case .bytes(let range):
            let named = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            lines = [StatusLine.of(206)] + lines + ["Content-Range: \(named)", "Content-Length: \(range.count)"]
            return Reply(head: .lines(lines), body: ReplyBody(file.bytes, range: range))
        case .nothing:
            lines = [StatusLine.of(416)] + lines + ["Content-Range: bytes */\(total)", "Content-Length: 0"]
            return Reply(head: .lines(lines), body: ReplyBody([]))
        }
    }

    /// The same, for a file given by its content.
    package static func file(_ bytes: [UInt8], etag: String? = nil, for request: ReceivedRequest) -> Reply {
        file(TestFile(bytes, etag: etag), for: request)
    }
}

/// What a Range field asks of a file of a known size.
private enum RequestedPart {
    case everything
    case bytes(Range<Int>)
    case nothing

    init(_ field: String, total: Int) {
        let set = field.hasPrefix("bytes=") ? field.dropFirst(6) : ""
        let ends = set.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .everything
            return
        }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (nil, nil): self = .everything
        case (let first?, let last?) where first > last: self = .everything
        case (let first?, let last) where first < total: self = .bytes(first..<(min(last ?? .max, total - 1) + 1))
        case (nil, let length?) where length > 0 && total > 0: self = .bytes(max(0, total - length)..<total)
        default: self = .nothing
        }
    }

    /// A number too large for us is larger than any file.
    private static func number(_ digits: Substring) -> Int? {
        digits.isEmpty ? nil : Int(digits) ?? .max
    }
}
