/// A request as a `ModelServer` reads it.
struct ModelRequest: Equatable {
    let isHead: Bool
    let name: String
    /// The first byte and the last one, which is `nil` for all that follow.
    let range: (first: Int, last: Int?)?
    /// The version that a range is for; `nil` for any.
    let ifRange: String?

    init(_ head: String) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        isHead = words.first == "HEAD"
        name = words.count > 1 ? String(words[1].drop { $0 == "/" }) : ""
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
        }
        ifRange = fields["if-range"]
        range = fields["range"].flatMap(Self.range)
    }

    /// Of one range with a first byte: `bytes=100-`, `bytes=100-199`.
    private static func range(_ text: String) -> (Int, Int?)? {
        guard text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]) else { return nil }
        return (first, Int(ends[1]))
    }

    static func == (one: Self, other: Self) -> Bool {
        one.isHead == other.isHead && one.name == other.name && one.ifRange == other.ifRange
            && one.range?.first == other.range?.first && one.range?.last == other.range?.last
    }
}
