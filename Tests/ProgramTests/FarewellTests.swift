import Testing

@testable import SpateProgram

@Suite struct FarewellTests {
    private func partial(_ name: String, _ received: Int64, of total: Int64? = nil) -> Farewell.Partial {
        Farewell.Partial(name: name, received: received, total: total)
    }

    @Test func whatIsKeptAndTheWayOnAreTold() {
        var arguments = Arguments()
        arguments.directory = "my files"
        let farewell = Farewell(
            kept: [partial("a.iso", 12_300_000, of: 40_000_000), partial("b.iso", 5)],
            notBegun: 3,
            arguments: arguments
        )
        #expect(
            farewell.lines == [
                "spate: stopped; kept in part: a.iso (12.3 MB of 40 MB), b.iso (5 B).",
                "spate: to go on: spate resume -d 'my files'",
                "spate: 3 more downloads had not begun: run the same command again for all",
            ]
        )
    }

    @Test func withNothingKeptTheSameCommandIsTheWayOn() {
        let farewell = Farewell(kept: [], notBegun: 1, arguments: Arguments())
        #expect(farewell.lines.count == 1)
        #expect(farewell.lines[0].contains("run the same command again"))
    }

    @Test func ofAListThatGoesOnNobodyKnowsHowManyHadNotBegun() {
        let farewell = Farewell(kept: [partial("a", 1)], notBegun: 3, listGoesOn: true, arguments: Arguments())
        #expect(farewell.lines.last == "spate: the rest of the list had not begun: run the same command again for all")
    }

    @Test func headersAreNamedAndNotRepeated() throws {
        var arguments = Arguments()
        arguments.headers = [try HeaderField("Authorization: Basic c2VjcmV0")]
        let lines = Farewell(kept: [partial("a", 1)], notBegun: 0, arguments: arguments).lines
        #expect(lines.contains { $0.contains("with the same --header options") })
        #expect(!lines.contains { $0.contains("c2VjcmV0") })
    }

    @Test func credentialsAreNotStoredSoTheSameCommandIsTheWayOn() {
        let farewell = Farewell(kept: [partial("a", 1)], notBegun: 0, hadCredentials: true, arguments: Arguments())
        #expect(farewell.lines.count == 2)
        #expect(farewell.lines[1].contains("run the same command again"))
    }

    @Test func manyKeptFilesAreCounted() {
        let farewell = Farewell(kept: (1...9).map { partial("f\($0)", 1) }, notBegun: 0, arguments: Arguments())
        #expect(farewell.lines[0].hasSuffix("f5 (1 B), 4 more."))
    }
}

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain/a.b-c", "plain/a.b-c"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$x", "'$x'"),
    ])
    func aShellTakesAWordAsItIs(word: String, quoted: String) {
        #expect(PlainText.shellWord(word) == quoted)
    }
}
