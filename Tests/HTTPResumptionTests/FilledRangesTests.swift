import SpateHTTPResumption
import SpateTestSupport
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
            if random.below(4) == 0 {
                filled.remove(range)
                bytes.subtract(range)
            } else {
                filled.insert(range)
                bytes.formUnion(range)
            }
            if random.below(4) == 0 { other.insert(range) }
            #expect(filled.count == Int64(bytes.count))
        }
        #expect(Set(filled.ranges.joined()) == bytes && filled.isEmpty == bytes.isEmpty)
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

    @Test(
        arguments: [
            ("0-100", 40..<60, "0-40 60-100"), ("0-100", 0..<10, "10-100"), ("0-100", 90..<200, "0-90"),
            ("0-100", 0..<100, "0-0"), ("0-10 20-40", 25..<30, "0-10 20-25 30-40"), ("0-10 20-40", 5..<25, "0-5 25-40"),
            ("5-10 20-40 50-60", 0..<55, "55-60"), ("5-10", 10..<20, "5-10"), ("5-10", 7..<7, "5-10"),
            ("0-9223372036854775807", 5..<Int64.max, "0-5"),
        ] as [(String, Range<Int64>, String)]
    )
    func aRemovedRangeIsAGap(before: String, range: Range<Int64>, after: String) throws {
        var filled = try #require(FilledRanges(before))
        filled.remove(range)
        #expect(filled.text == after && filled == FilledRanges(after))
    }

    /// At the end of the largest files, with a front. Nothing here may take a time that is quadratic.
    @Test func asManyGapsAsPiecesFit() throws {
        let most = Int64(FilledRanges.mostGaps)
        var filled = FilledRanges(upTo: 5)
        #expect(FilledRanges().text == "0-0" && FilledRanges("0-0") == FilledRanges())
        for number in (1...most).reversed() { filled.insert((.max - 2 * number)..<(.max - 2 * number + 1)) }
        #expect(filled.ranges.count == FilledRanges.mostGaps + 1 && filled.count == most + 5)
        let text = filled.text
        #expect(text.utf8.count <= FilledRanges.longestText)
        #expect(FilledRanges(text) == filled && filled.isStorable)
        let isPart = filled.isPart(of: filled)
        #expect(isPart && filled.gaps(in: 0..<Int64.max).count == FilledRanges.mostGaps + 1)
        #expect(filled.firstGap(in: (.max - 2)..<Int64.max) == (.max - 1)..<Int64.max)
        // One more is too many.
        filled.insert(7..<8)
        #expect(!filled.isStorable)
        #expect(FilledRanges(filled.text) == nil && FilledRanges("0-1 " + text) == nil)
        filled.remove(0..<9)
        #expect(filled.isStorable && filled.ranges.count == FilledRanges.mostGaps)
    }
}
