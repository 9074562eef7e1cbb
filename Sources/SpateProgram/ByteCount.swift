/// A number of bytes as people write it: `4096`, `500M`, `2GB`.
enum ByteCount {
    /// What a text means; `nil` where it means nothing, or more than can be counted.
    ///
    /// A letter alone counts in steps of 1,024, as for curl, wget and aria2; with a `B` after it in steps of 1,000, and
    /// with `iB` again of 1,024, as for dd and split. Capitals make no difference.
    static func bytes(in text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Int64("+4") is 4, and nobody means that.
        guard let number = Int64(digits) else { return nil }
        let unit = text[digits.endIndex...].lowercased()
        guard !unit.isEmpty, unit != "b" else { return number }
        guard let power = unit.first.flatMap({ "kmgt".firstIndex(of: $0) }) else { return nil }
        let step: Int64
        switch unit.dropFirst() {
        case "", "ib": step = 1024
        case "b": step = 1000
        default: return nil
        }
        return "kmgt"[...power].reduce(number as Int64?) { product, _ in
            guard let (value, overflows) = product?.multipliedReportingOverflow(by: step), !overflows else {
                return nil
            }
            return value
        }
    }
}
