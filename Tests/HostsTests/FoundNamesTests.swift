import Testing

@testable import SpateHosts

@Suite struct FoundNamesTests {
    private func names(_ found: [String]) -> FoundNames {
        var names = FoundNames()
        for name in found { names.note(name) }
        return names
    }

    @Test func aNameIsNewUntilItsHostAnswers() {
        #expect(names(["a.test"]).isNewAmongOthers("b.test"))
        #expect(!names(["a.test", "b.test"]).isNewAmongOthers("b.test"))
    }

    @Test(arguments: [[], ["127.0.0.1"], ["::1"], ["10.0.0.1", "fe80::1"]])
    func addressesDoNotShowThatNamesAreFound(found: [String]) {
        #expect(!names(found).isNewAmongOthers("b.test"))
        #expect(names(found + ["1.test"]).isNewAmongOthers("b.test"))
    }

    @Test func ofVeryManyNamesNothingIsSaid() {
        let names = names((0..<(1 << 16) + 10).map { "\($0).test" })
        #expect(!names.isNewAmongOthers("b.test"))
    }
}
