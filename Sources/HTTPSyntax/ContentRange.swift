/// A valid Content-Range field (RFC 9110, section 14.4).
package enum ContentRange: Hashable, Sendable {
    /// `bytes a-b/t` or `bytes a-b/*`: first <= last < total.
    case part(first: Int64, last: Int64, total: Int64?)
    /// `bytes */t`: the requested range is not satisfiable.
    case unsatisfied(total: Int64)

    /// `nil` for anything else, such as another unit, an end before the start, or a last byte beyond 2^63 - 2.
    package init?(_ text: String) {
        let octets = text.utf8.span
        let unit = "bytes "
        let start = unit.utf8.count
        guard octets.count > start, octets.extracting(..<start).spells(unit),
            let slash = octets.firstIndex(of: UInt8(ascii: "/"), in: start..<octets.count)
        else { return nil }
        let range = octets.extracting(start..<slash)
        let whole = octets.extracting((slash + 1)...)
        let total = Int64(digits: whole)
        if range.spells("*") {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        // A second slash or dash fails to parse as a digit.
        guard let dash = range.firstIndex(of: UInt8(ascii: "-"), in: range.indices),
            let first = Int64(digits: range.extracting(..<dash)),
            let last = Int64(digits: range.extracting((dash + 1)...)), first <= last,
            // `last + 1` must not overflow.
            last < .max, total ?? .max > last, total != nil || whole.spells("*")
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    /// The text of the field, which `init` parses.
    package var text: String {
        switch self {
        case .part(let first, let last, let total): "bytes \(first)-\(last)/\(total.map { String($0) } ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
