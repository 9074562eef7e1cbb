/// The parts of a file that are on disk: disjoint ranges, in order, never touching.
package struct FilledRanges: Hashable, Sendable {
    package private(set) var ranges: [Range<Int64>] = []

    package init() {}

    /// Everything before `end`.
    package init(upTo end: Int64) {
        if end > 0 { ranges = [0..<end] }
    }

    /// How many bytes are filled.
    package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// Where the first gap begins.
    package var front: Int64 {
        if let first = ranges.first, first.lowerBound == 0 { first.upperBound } else { 0 }
    }

    package mutating func insert(_ range: Range<Int64>) {
        if range.isEmpty { return }
        // The common case: a range that grows at its end.
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.count
        var merged = range
        var last = first
        while last < ranges.count, ranges[last].lowerBound <= merged.upperBound {
            merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
            last += 1
        }
        if last == first + 1 { ranges[first] = merged } else { ranges.replaceSubrange(first..<last, with: [merged]) }
    }

    /// What is filled of both.
    package func intersection(_ other: FilledRanges) -> FilledRanges {
        var result = FilledRanges()
        for range in ranges {
            for other in other.ranges where range.overlaps(other) { result.insert(range.clamped(to: other)) }
        }
        return result
    }

    /// What is not filled of a range.
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
