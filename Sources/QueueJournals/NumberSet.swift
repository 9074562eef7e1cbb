/// A bit set in words of 64, for numbers that lie close together, as in a queue.
package struct NumberSet: Sendable {
    private var words: [UInt64: UInt64] = [:]
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package func contains(_ number: UInt64) -> Bool {
        (words[number >> 6] ?? 0) & Self.bit(number) != 0
    }

    /// Returns whether the number is new.
    package mutating func insert(_ number: UInt64) -> Bool {
        if contains(number) { return false }
        words[number >> 6, default: 0] |= Self.bit(number)
        count += 1
        return true
    }

    /// Returns whether the set had the number.
    package mutating func remove(_ number: UInt64) -> Bool {
        guard let index = words.index(forKey: number >> 6), words.values[index] & Self.bit(number) != 0 else {
            return false
        }
        words.values[index] ^= Self.bit(number)
        if words.values[index] == 0 { words.remove(at: index) }
        count -= 1
        return true
    }

    /// In no order.
    package func forEach(_ body: (UInt64) -> Void) {
        for (index, word) in words {
            var rest = word
            while rest != 0 {
                body(index << 6 | UInt64(rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }

    private static func bit(_ number: UInt64) -> UInt64 { 1 << (number & 63) }
}
