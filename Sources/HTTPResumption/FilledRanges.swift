import HTTPSyntax

/// The parts of a file that are on disk: disjoint ranges, in order, never touching.
package struct FilledRanges: Hashable, Sendable {
    /// Where the first gap begins.
    package private(set) var front: Int64 = 0
    /// The filled ranges behind the first gap. Empty, and without an allocation, if the file is fetched in order.
    private var behind: [Range<Int64>] = []

    package init() {}

    /// Everything before `end`.
    package init(upTo end: Int64) {
        front = max(0, end)
    }

    package var ranges: [Range<Int64>] { front > 0 ? [0..<front] + behind : behind }

    package var isEmpty: Bool { front == 0 && behind.isEmpty }

    /// How many bytes are filled.
    package var count: Int64 { behind.reduce(front) { $0 + Int64($1.count) } }

    /// Where the last range ends.
    package var end: Int64 { behind.last?.upperBound ?? front }

    /// Whether there is a gap before the end.
    package var hasGaps: Bool { !behind.isEmpty }

    /// Where the first gap ends; nil if nothing behind it is filled.
    package var gapEnd: Int64? { behind.first?.lowerBound }

    package mutating func insert(_ range: Range<Int64>) {
        if range.isEmpty { return }
        var merged = range
        let first = behind.firstIndex { $0.upperBound >= range.lowerBound } ?? behind.count
        var last = first
        while last < behind.count, behind[last].lowerBound <= merged.upperBound {
            merged = min(merged.lowerBound, behind[last].lowerBound)..<max(merged.upperBound, behind[last].upperBound)
            last += 1
        }
        if merged.lowerBound > front {
            behind.replaceSubrange(first..<last, with: CollectionOfOne(merged))
        } else {
            front = max(front, merged.upperBound)
            if last > 0 { behind.removeFirst(last) }
        }
    }

    /// The ranges that are filled in both.
    package func intersection(_ other: FilledRanges) -> FilledRanges {
        var result = FilledRanges()
        for range in ranges {
            for other in other.ranges where range.overlaps(other) { result.insert(range.clamped(to: other)) }
        }
        return result
    }

    /// Whether `other` has all bytes of this one.
    package func isPart(of other: FilledRanges) -> Bool { intersection(other) == self }

    /// The filled ranges before `end`.
    package func prefix(_ end: Int64) -> FilledRanges {
        var result = FilledRanges()
        for range in ranges where range.lowerBound < end {
            result.insert(range.lowerBound..<min(range.upperBound, end))
        }
        return result
    }

    /// The first part of a range that is not filled; nil if all of it is. Allocates nothing.
    package func firstGap(in whole: Range<Int64>) -> Range<Int64>? {
        var start = max(whole.lowerBound, front)
        if start >= whole.upperBound { return nil }
        for range in behind where range.upperBound > start {
            if range.lowerBound > start { return start..<min(range.lowerBound, whole.upperBound) }
            start = range.upperBound
            if start >= whole.upperBound { return nil }
        }
        return start..<whole.upperBound
    }

    /// The ranges in `whole` that are not filled.
    package func gaps(in whole: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var start = whole.lowerBound
        for range in ranges where range.upperBound > start && range.lowerBound < whole.upperBound {
            if range.lowerBound > start { gaps.append(start..<range.lowerBound) }
            start = range.upperBound
        }
        if start < whole.upperBound { gaps.append(start..<whole.upperBound) }
        return gaps
    }
}

extension FilledRanges {
    /// Longer texts are rejected. A hundred ranges always fit.
    private static let longestText = 4_096

    /// Parses `text`, strictly.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        self.init()
        if text.utf8.elementsEqual(Self.empty.utf8) { return }
        for part in text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            let ends = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Int64(strictDecimal: ends[0]), let stop = Int64(strictDecimal: ends[1]),
                start < stop, start > end || isEmpty
            else { return nil }
            insert(start..<stop)
        }
    }

    /// Such as `0-1048576 8388608-9437184`, with exclusive ends; `0-0` if nothing is filled.
    package var text: String {
        if isEmpty { return Self.empty }
        return ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
    }

    private static let empty = "0-0"

    /// Whether the text is short enough to be parsed.
    package var isStorable: Bool { !hasGaps || text.utf8.count <= Self.longestText }
}
