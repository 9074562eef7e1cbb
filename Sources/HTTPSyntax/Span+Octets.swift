import Glibc

extension Span<UInt8> {
    /// Whether both have the same bytes. Equal strings may have different bytes.
    package func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, count) == 0
            }
        }
    }

    /// Whether the bytes spell `word`; ignores the case of ASCII letters.
    package func spells(_ word: String) -> Bool { spells(word.utf8.span) }

    func spells(_ letters: Span<UInt8>) -> Bool {
        guard count == letters.count else { return false }
        for index in indices where self[index] != letters[index] {
            if self[index].lowercased != letters[index].lowercased { return false }
        }
        return true
    }

    /// `nil` if the bytes are not UTF-8.
    var text: String? {
        guard let text = try? UTF8Span(validating: self) else { return nil }
        return String(copying: text)
    }

    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }
}
