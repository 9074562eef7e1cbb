/// What a Content-Range field says, where it says it properly (RFC 9110, section 14.4).
package enum ContentRange: Hashable, Sendable {
    /// `bytes a-b/t` or `bytes a-b/*`: first <= last < total.
    case part(first: Int64, last: Int64, total: Int64?)
    /// `bytes */t`: there is nothing at the offset that was asked for.
    case unsatisfied(total: Int64)

    /// `nil` for anything else, such as another unit, an end before the start, or a number beyond 2^63 - 2.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].map(\.lowercased).elementsEqual("bytes".utf8) else { return nil }
        let sides = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let star = "*".utf8
        let total = Int64(digits: sides[1])
        if sides[0].elementsEqual(star) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = sides[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]), first <= last,
            // One more than `last` must be a number, too.
            last < .max, total ?? .max > last, total != nil || sides[1].elementsEqual(star)
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    /// The form that is parsed.
    package var text: String {
        switch self {
        case .part(let first, let last, let total): "bytes \(first)-\(last)/\(total.map { String($0) } ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
