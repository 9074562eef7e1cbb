import Testing

@testable import SpateProgram

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("job", "jobs"), ("jbos", "jobs"), ("dir", "directory"), ("directory-prefix", "directory"), ("qiuet", "quiet"),
        ("overwite", "overwrite"), ("headers", "header"), ("max-siz", "max-size"), ("timout", "timeout"),
    ])
    func aMistypedNameFindsTheNameMeant(word: String, name: String) {
        #expect(Suggestion.nearest(to: word, among: ProgramOption.all.map(\.name)) == name)
    }

    @Test(arguments: ["frobnicate", "x", "", "abc"])
    func anUnrelatedWordFindsNothing(word: String) {
        #expect(Suggestion.nearest(to: word, among: ProgramOption.all.map(\.name)) == nil)
    }

    @Test(arguments: [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("", "abc", 3), ("ca", "abc", 3)])
    func editsAreCounted(word: String, name: String, count: Int) {
        #expect(Suggestion.editDistance(from: Array(word), to: Array(name)) == count)
    }
}
