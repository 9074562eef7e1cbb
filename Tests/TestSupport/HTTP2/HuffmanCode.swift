/// HPACK's code for strings (RFC 7541, appendix B). It is canonical: the codes follow from their lengths.
enum HuffmanCode {
    /// The text of a coded string; `nil` where it is none.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        var (code, length) = (0, 0)
        for byte in bytes {
            for bit in stride(from: 7, through: 0, by: -1) {
                code = code << 1 | Int(byte >> bit & 1)
                length += 1
                guard length < first.count else { return nil }
                let place = code - first[length].code
                guard place < first[length].count else { continue }
                let symbol = symbols[first[length].start + place]
                guard symbol < 256 else { return nil }
                text.append(UInt8(symbol))
                (code, length) = (0, 0)
            }
        }
        // What is left over fills the last byte, with ones.
        guard length < 8, code == (1 << length) - 1 else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// All symbols, by the length of their code and then by their number.
    private static let symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }

    /// For each length its first code, how many there are, and where in `symbols` they start.
    private static let first: [(code: Int, count: Int, start: Int)] = {
        var table: [(code: Int, count: Int, start: Int)] = [(0, 0, 0)]
        for length in 1...30 {
            let shorter = table[length - 1]
            let count = lengths.count { $0 == length }
            table.append(((shorter.code + shorter.count) << 1, count, shorter.start + shorter.count))
        }
        return table
    }()

    /// The lengths of the codes of all bytes, and of the end.
    private static let lengths: [Int] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
        28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
        8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
        13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
        28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
        22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
        22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
        25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]
}
