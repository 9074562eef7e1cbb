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
    }
}
