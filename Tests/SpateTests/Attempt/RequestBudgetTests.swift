import SpateHTTPResumption
import Testing

@testable import Spate

/// ResumptionRules.md 107.
@Suite struct RequestBudgetTests {
    private static let piece: Int64 = 256 << 10

    /// How many requests may be sent when each brings so many bytes.
    private func count(_ connections: ConnectionCount, bringing bytes: Int64, until most: Int = 1_000) -> Int {
        var budget = RequestBudget(connections, found: FilledRanges(upTo: 5_000))
        var (filled, count): (Int64, Int) = (5_000, 0)
        while count < most, budget.take(filled: filled) {
            count += 1
            filled += bytes
        }
        return count
    }

    @Test(
        arguments: [(.exactly(1), 17), (.exactly(8), 24), (.exactly(100), 48), (.automatic, 32)]
            as [(ConnectionCount, Int)]
    )
    func thoseThatBringLittleAreFew(connections: ConnectionCount, most: Int) {
        #expect(count(connections, bringing: 10) == most)
        #expect(count(connections, bringing: 0) == most)
    }

    @Test func thoseThatBringMuchAreAsManyAsItTakes() {
        #expect(count(.exactly(1), bringing: Self.piece) == 1_000)
        // Half of what each costs is earned.
        #expect((33...34).contains(count(.exactly(1), bringing: Self.piece / 2)))
    }

    @Test func eachGapMayBeAskedFor() {
        var filled = FilledRanges()
        for place in 0..<40 { filled.insert(Int64(place) * 10..<Int64(place) * 10 + 5) }
        var budget = RequestBudget(.exactly(1), found: filled)
        #expect(budget.left(filled: filled.count) == 17 + 39)
    }

    @Test func bytesThatWereDroppedDoNotCountAgainstTheNext() {
        var budget = RequestBudget(.exactly(1), found: FilledRanges(upTo: 100 * Self.piece))
        #expect(budget.left(filled: 0) == 17)
        #expect(budget.left(filled: 10 * Self.piece) == 27)
    }
}
