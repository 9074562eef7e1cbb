import Testing

@testable import SpateProgram

@Suite struct FamiliarOptionTests {
    @Test func spellingsAreUniqueAndNotOptionsOfThisProgram() {
        let spellings = ForeignOption.all.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count)
        #expect(spellings.filter { ProgramOption.named($0) != nil } == [])
    }

    @Test(arguments: ForeignOption.all.flatMap(\.spellings).filter { $0 != "--seed-time" })
    func theParserAnswersEachSpelling(spelling: String) throws {
        let answer = try #require(ForeignOption.answer(to: spelling))
        for words in [[spelling, "https://host/a"], ["https://host/a", spelling, "value"]] {
            let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
            #expect(error == UsageError(.foreignOption, "unknown option \(spelling): \(answer)"))
        }
    }

    @Test(arguments: [
        (["repair", "--form", "a", "https://host/a"], "; did you mean --from? If not: only GET requests are made"),
        (["--form", "a=b", "https://host/a"], ": only GET requests are made"),
        (["--seed-time", "0", "https://host/a"], "; did you mean --speed-time? If not: BitTorrent is not supported"),
        (["verify", "--tries", "3"], ": to choose how many retries"),
        (["verify", "--onlin"], "; did you mean --online?"),
    ])
    func anAnswerStandsBesideAnOptionOfTheCommandThatMayBeMeant(words: [String], part: String) {
        let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    /// Options of the manuals of curl, wget, wget2 and aria2 that are used often.
    @Test(arguments: [
        "--interface", "--save-session", "--on-download-complete", "--wait", "--resolve", "--trust-server-names",
        "--auto-file-renaming", "--progress-bar", "--retry-connrefused", "--retry-all-errors", "--connect-to",
        "--dns-servers", "--doh-url", "--tlsv1.2", "--ciphers", "--fail-with-body", "--fail-early", "-g", "--globoff",
        "--page-requisites", "-p", "-np", "-l", "-A", "--force-directories", "-nH", "--enable-rpc", "--seed-time",
        "--file-allocation", "--summary-interval", "--console-log-level", "--save-cookies", "--session-file", "-K",
        "--dump-header", "--oauth2-bearer", "--hsts", "--random-wait", "--max-redirect", "--config", "--cookie-jar",
    ])
    func aFrequentOptionOfAnotherProgramHasAnAnswer(option: String) {
        #expect(ForeignOption.answer(to: option) != nil)
    }

    @Test(arguments: ForeignOption.all.map(\.answer))
    func anAnswerNamesOnlyExistingOptions(answer: String) {
        let names = answer.split(separator: " ").filter { $0.hasPrefix("--") }.map { $0.filter { !",;:".contains($0) } }
        #expect(names.filter { ProgramOption.named($0) == nil } == [])
    }
}
