extension Span<UInt8> {
    /// Whether both are the same, byte by byte: two strings may be equal to Unicode that differ in these.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether they are this word, in whatever case; only ASCII letters have one.
    func spells(_ word: String) -> Bool {
        guard count == word.utf8.count else { return false }
        let letters = word.utf8.span
        for index in indices where self[index].lowercased != letters[index].lowercased { return false }
        return true
    }

    /// What they say; `nil` where they are no UTF-8.
    var text: String? {
        guard let text = try? UTF8Span(validating: self) else { return nil }
        return String(copying: text)
    }

    /// Where the first such byte is within the range.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }
}
