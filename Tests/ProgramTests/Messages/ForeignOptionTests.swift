import Testing

@testable import SpateProgram

@Suite struct FamiliarOptionTests {
    @Test func spellingsAreUniqueAndNotOptionsOfThisProgram() {
        let spellings = ForeignOption.all.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count)
        #expect(spellings.filter { ProgramOption.named($0) != nil } == [])
    }

    @Test(arguments: ForeignOption.all.flatMap(\.spellings))
    func theParserAnswersEachSpelling(spelling: String) throws {
        let answer = try #require(ForeignOption.answer(to: spelling))
        for words in [[spelling, "https://host/a"], ["https://host/a", spelling, "value"]] {
            let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
            #expect(error == UsageError(.foreignOption, "unknown option \(spelling): \(answer)"))
        }
    }

    @Test(arguments: ForeignOption.all.map(\.answer))
    func anAnswerNamesOnlyExistingOptions(answer: String) {
        let names = answer.split(separator: " ").filter { $0.hasPrefix("--") }.map { $0.filter { !",;:".contains($0) } }
        #expect(names.filter { ProgramOption.named($0) == nil } == [])
    }
}
