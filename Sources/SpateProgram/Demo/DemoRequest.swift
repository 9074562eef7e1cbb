/// A request as the demo's server reads it: no more of HTTP than Spate asks with.
struct DemoRequest: Sendable, Equatable {
    var method: String
    var path: String
    /// Where the range that was asked for begins.
    var rangeStart: Int?
    /// The last byte of it, where one was named.
    var rangeEnd: Int?
    var ifRange: String?

    /// The last part of the path, which tells the file also after a redirect.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

    init(path: String, rangeStart: Int? = nil, rangeEnd: Int? = nil, ifRange: String? = nil) {
        method = "GET"
        self.path = path
        self.rangeStart = rangeStart
        self.rangeEnd = rangeEnd
        self.ifRange = ifRange
    }

    /// - Parameter head: all up to the empty line.
    init?(head: String) {
        var lines = head.split(separator: "\r\n")[...]
        guard let words = lines.popFirst()?.split(separator: " "), words.count == 3 else { return nil }
        self.init(path: String(words[1]))
        method = String(words[0])
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "range" where value.hasPrefix("bytes="):
                let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
                // Any other kind of range may be ignored, and is.
                guard ends.count == 2, let start = Int(ends[0]), start >= 0, ends[1].isEmpty || Int(ends[1]) != nil
                else { continue }
                rangeStart = start
                rangeEnd = Int(ends[1])
            case "if-range": ifRange = String(value)
            default: break
            }
        }
    }
}
