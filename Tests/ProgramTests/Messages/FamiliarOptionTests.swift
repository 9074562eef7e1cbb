import Testing

@testable import SpateProgram

@Suite struct FamiliarOptionTests {
    @Test func noSpellingIsAnsweredTwiceOrIsAnOptionHere() {
        let spellings = FamiliarOption.all.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count)
        #expect(spellings.filter { ProgramOption.isName($0) } == [])
    }

    @Test(arguments: FamiliarOption.all.flatMap(\.spellings))
    func eachSpellingIsAnsweredInACall(spelling: String) throws {
        let answer = try #require(FamiliarOption.answer(to: spelling))
        for words in [[spelling, "https://host/a"], ["https://host/a", spelling, "value"]] {
            let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
            #expect(error == UsageError(.familiarOption, "unknown option \(spelling): \(answer)"))
        }
    }

    @Test(arguments: FamiliarOption.all.map(\.answer))
    func anAnswerNamesOnlyOptionsThatThereAre(answer: String) {
        let names = answer.split(separator: " ").filter { $0.hasPrefix("--") }.map { $0.filter { !",;:".contains($0) } }
        #expect(names.filter { !ProgramOption.isName($0) } == [])
    }
}
