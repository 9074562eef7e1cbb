/// A number of bytes as people type it: `4096`, `500M`, `2GB`.
enum ByteCount {
    /// Parses a text. Returns `nil` if it is not a size, or too large for an `Int64`.
    ///
    /// `K` is 1,024, as in curl, wget and aria2. `KB` is 1,000 and `KiB` is 1,024, as in dd and split. Case is ignored.
    static func bytes(in text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Int64() also accepts "+4".
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
