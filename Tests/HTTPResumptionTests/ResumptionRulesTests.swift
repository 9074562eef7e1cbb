import HTTPResumption
import Testing

@Suite struct ResumptionRulesTests {
    /// The lines of RESUMPTION.md that one response, seen alone, decides; other suites hold the rest by name.
    @Test func everyLineThatAResponseDecidesHasARow() {
        let rules =
            WholeResponseTests.rules + PartialResponseTests.rules + UnsatisfiableRangeTests.rules
            + ErrorResponseTests.rules
        let lines = Set(rules.map(\.line))
        let decided =
            [6, 7, 8, 9, 10, 16, 17, 18] + Array(20...39) + [41, 44, 45, 46, 47, 48, 49, 50, 56, 57, 83, 85, 86]
        #expect(decided.filter { !lines.contains($0) } == [])
    }
}
