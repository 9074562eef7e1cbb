import SpateHTTPSyntax

extension FuzzTarget {
    /// The value of one Content-Range field.
    static let contentRange = FuzzTarget(name: "content-range") { bytes throws(BrokenClaim) in
        let text = String(decoding: bytes, as: UTF8.self)
        let range = ContentRange(text)
        try require(range == plainlyRead(text), "\(String(describing: range)) is not what the plain parser reads")
        guard let range else { return }
        try require(ContentRange(range.text) == range, "\(range.text) is not read back")
        switch range {
        case .part(let first, let last, let total):
            try require(first >= 0 && first <= last, "a part ends before it starts")
            try require(last < .max && total ?? .max > last, "a part ends after the total")
        case .unsatisfied(let total):
            try require(total >= 0, "a total is negative")
        }
    }

    /// The grammar of RFC 9110, section 14.4, parsed in the simplest way.
    private static func plainlyRead(_ text: String) -> ContentRange? {
        let scalars = text.unicodeScalars.map { String($0) }
        guard scalars.prefix(6).joined().lowercased() == "bytes ", scalars.prefix(5).allSatisfy({ $0 < "\u{80}" })
        else { return nil }
        let sides = scalars.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let total = number(sides[1])
        if sides[0] == ["*"] { return total.map { .unsatisfied(total: $0) } }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last, last != .max
        else { return nil }
        if sides[1] == ["*"] { return .part(first: first, last: last, total: nil) }
        guard let total, total > last else { return nil }
        return .part(first: first, last: last, total: total)
    }

    private static func number(_ digits: ArraySlice<String>) -> Int64? {
        digits.allSatisfy { "0"..."9" ~= $0 && $0.utf8.count == 1 } ? Int64(digits.joined()) : nil
    }
}
