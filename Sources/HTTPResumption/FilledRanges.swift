import SpateHTTPSyntax

/// The parts of a file that are on disk: disjoint ranges, in order, never touching.
package struct FilledRanges: Hashable, Sendable {
    /// Where the first gap begins.
    package private(set) var front: Int64 = 0
    /// How many bytes are filled. Kept, because it is needed for each block.
    package private(set) var count: Int64 = 0
    /// The filled ranges behind the first gap. Empty, and without an allocation, if the file is fetched in order.
    private var behind: [Range<Int64>] = []

    package init() {}

    /// Everything before `end`.
    package init(upTo end: Int64) {
        front = max(0, end)
        count = front
    }

    package var ranges: [Range<Int64>] { front > 0 ? [0..<front] + behind : behind }

    package var isEmpty: Bool { count == 0 }

    /// Where the last range ends.
    package var end: Int64 { behind.last?.upperBound ?? front }

    /// Whether there is a gap before the end.
    package var hasGaps: Bool { !behind.isEmpty }

    /// Where the first gap ends; nil if nothing behind it is filled.
    package var gapEnd: Int64? { behind.first?.lowerBound }

    package mutating func insert(_ range: Range<Int64>) {
        if range.isEmpty { return }
        // It becomes one with the ranges that it overlaps or touches.
        var merged = range
        let first = firstIndex { $0.upperBound >= range.lowerBound }
        var last = first
        while last < behind.count, behind[last].lowerBound <= merged.upperBound {
            merged = min(merged.lowerBound, behind[last].lowerBound)..<max(merged.upperBound, behind[last].upperBound)
            count -= Int64(behind[last].count)
            last += 1
        }
        if merged.lowerBound > front {
            count += Int64(merged.count)
            behind.replaceSubrange(first..<last, with: CollectionOfOne(merged))
        } else {
            let longer = max(front, merged.upperBound)
            count += longer - front
            front = longer
            if last > 0 { behind.removeFirst(last) }
        }
    }

    /// Makes a range a gap.
    package mutating func remove(_ range: Range<Int64>) {
        let range = range.clamped(to: 0..<Int64.max)
        if range.isEmpty { return }
        let cut = firstIndex { $0.upperBound > range.lowerBound }..<firstIndex { $0.lowerBound >= range.upperBound }
        // What the first and the last of the cut ranges have outside.
        var rest: [Range<Int64>] = []
        if range.lowerBound < front {
            if range.upperBound < front { rest.append(range.upperBound..<front) }
            count -= min(front, range.upperBound) - range.lowerBound
            front = range.lowerBound
        }
        for old in behind[cut] {
            if old.lowerBound < range.lowerBound { rest.append(old.lowerBound..<range.lowerBound) }
            if old.upperBound > range.upperBound { rest.append(range.upperBound..<old.upperBound) }
            count -= Int64(old.clamped(to: range).count)
        }
        if !cut.isEmpty || !rest.isEmpty { behind.replaceSubrange(cut, with: rest) }
    }

    /// Adds a range behind all others, which touches none of them.
    private mutating func append(_ range: Range<Int64>) {
        if range.lowerBound == 0 { front = range.upperBound } else { behind.append(range) }
        count += Int64(range.count)
    }

    /// Binary search in `behind`: the index of the first range that meets the condition, as all after it do.
    private func firstIndex(where isMet: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, behind.count)
        while low < high {
            let middle = (low + high) / 2
            if isMet(behind[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The ranges that are filled in both.
    package func intersection(_ other: FilledRanges) -> FilledRanges {
        var result = FilledRanges()
        let (ours, theirs) = (ranges, other.ranges)
        var (our, their) = (0, 0)
        while our < ours.count, their < theirs.count {
            let common = ours[our].clamped(to: theirs[their])
            if !common.isEmpty { result.append(common) }
            if ours[our].upperBound < theirs[their].upperBound { our += 1 } else { their += 1 }
        }
        return result
    }

    /// Whether `other` has all bytes of this one.
    package func isPart(of other: FilledRanges) -> Bool { intersection(other).count == count }

    /// The filled ranges before `end`.
    package func prefix(_ end: Int64) -> FilledRanges {
        var result = self
        result.remove(max(0, end)..<Int64.max)
        return result
    }

    /// The first part of a range that is not filled; nil if all of it is. Allocates nothing.
    package func firstGap(in whole: Range<Int64>) -> Range<Int64>? {
        var start = max(whole.lowerBound, front)
        var next = firstIndex { $0.upperBound > start }
        if next < behind.count, behind[next].lowerBound <= start {
            start = behind[next].upperBound
            next += 1
        }
        if start >= whole.upperBound { return nil }
        return start..<(next < behind.count ? min(behind[next].lowerBound, whole.upperBound) : whole.upperBound)
    }

    /// The ranges in `whole` that are not filled.
    package func gaps(in whole: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var rest = whole
        while let gap = firstGap(in: rest) {
            gaps.append(gap)
            rest = gap.upperBound..<whole.upperBound
        }
        return gaps
    }
}

extension FilledRanges {
    /// The most gaps of a list that is parsed: one for each piece of a file.
    package static let mostGaps = 65_536

    /// The longest text that is parsed. Two numbers of 19 digits are the longest range, and each has one more byte
    /// behind it.
    package static let longestText = (mostGaps + 1) * 40

    /// Parses `text`, strictly.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        self.init()
        if text.utf8.elementsEqual(Self.empty.utf8) { return }
        for part in text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            let ends = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Int64(strictDecimal: ends[0].span),
                let stop = Int64(strictDecimal: ends[1].span), start < stop, start > end || isEmpty, isStorable
            else { return nil }
            append(start..<stop)
        }
        if !isStorable { return nil }
    }

    /// Such as `0-1048576 8388608-9437184`, with exclusive ends; `0-0` if nothing is filled.
    package var text: String {
        if isEmpty { return Self.empty }
        var text = ""
        for range in ranges {
            if !text.isEmpty { text += " " }
            text += "\(range.lowerBound)-\(range.upperBound)"
        }
        return text
    }

    private static let empty = "0-0"

    /// Whether there are few enough gaps for the text to be parsed.
    package var isStorable: Bool { behind.count <= Self.mostGaps }
}
