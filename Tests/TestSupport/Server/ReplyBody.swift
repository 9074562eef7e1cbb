/// A part of an array that is shared and never copied, sent once or over and over.
struct ReplyBody: Sendable {
    let storage: [UInt8]
    let range: Range<Int>
    let isEndless: Bool

    init(_ bytes: [UInt8], range: Range<Int>? = nil) {
        storage = bytes
        self.range = range ?? bytes.indices
        isEndless = false
    }

    /// - Parameter pattern: is not empty.
    init(endless pattern: [UInt8]) {
        let times = max(1, 65_536 / max(1, pattern.count))
        storage = Array(repeatElement(pattern, count: times).joined())
        range = storage.indices
        isEndless = true
    }

    var count: Int { isEndless ? .max : range.count }

    /// Where in the storage the bytes from a position on are; at most `limit` of them, and not always so many.
    func piece(at position: Int, limit: Int) -> Range<Int> {
        let start = range.lowerBound + (isEndless ? position % range.count : position)
        return start..<min(start + limit, range.upperBound)
    }
}
