import HTTPResumption
import TestSupport
import Testing

@Suite struct FilledRangesTests {
    /// Held against a set of the filled positions.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func rangesAreTheSetOfTheirBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (filled, bytes) = (FilledRanges(), Set<Int64>())
        var other = FilledRanges(upTo: Int64(random.below(60)))
        for _ in 0..<20 {
            let start = Int64(random.below(90))
            let range = start..<start + Int64(random.below(12))
            filled.insert(range)
            bytes.formUnion(range)
            if random.below(4) == 0 { other.insert(range) }
        }
        #expect(Set(filled.ranges.joined()) == bytes && filled.count == Int64(bytes.count))
        // In order, and not touching.
        #expect(zip(filled.ranges, filled.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        #expect(filled.front == (0...).first { !bytes.contains($0) })
        let whole = Int64(random.below(50))..<Int64(50 + random.below(60))
        #expect(filled.gaps(in: whole).flatMap(Array.init) == whole.filter { !bytes.contains($0) })
        let both = bytes.intersection(other.ranges.joined())
        #expect(Set(filled.intersection(other).ranges.joined()) == both)
        #expect(filled.isPart(of: other) == bytes.isSubset(of: other.ranges.joined()))
        #expect(filled.firstGap(in: whole) == filled.gaps(in: whole).first)
        #expect(Set(filled.prefix(whole.lowerBound).ranges.joined()) == bytes.filter { $0 < whole.lowerBound })
        #expect(filled.end == bytes.max().map { $0 + 1 } ?? 0 && filled.hasGaps == (filled.front < filled.end))
        #expect(filled.gapEnd == bytes.filter { $0 > filled.front }.min())
        #expect(FilledRanges(filled.text) == filled)
    }
    @Test(arguments: [
        "", " ", "0", "-", "0-", "-1", "0-1 ", " 0-1", "0-1  2-3", "0-1\n", "0-1,2-3", "0-1-2", "00-1", "0-01", "+0-1",
        "1-1", "2-1", "0-0 1-2", "0-1 1-2", "0-2 1-3", "2-3 0-1", "0-9223372036854775808", "٠-1",
    ])
    func anInvalidTextIsNil(text: String) {
        #expect(FilledRanges(text) == nil)
    }

    @Test func aHundredRangesAlwaysFit() throws {
        var filled = FilledRanges()
        #expect(filled.text == "0-0" && FilledRanges("0-0") == filled)
        for number in 1...Int64(100) { filled.insert((.max - 2 * number)..<(.max - 2 * number + 1)) }
        #expect(FilledRanges(filled.text) == filled && filled.isStorable)
        for number in 1...Int64(10) { filled.insert((.max / 2 - 2 * number)..<(.max / 2 - 2 * number + 1)) }
        #expect(FilledRanges(filled.text) == nil && !filled.isStorable)
    }
}
