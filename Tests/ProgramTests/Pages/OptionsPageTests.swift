import SpateTestSupport
import Testing

@testable import SpateProgram

/// Documentation/Options.md is complete and up to date, in both languages.
@Suite struct OptionsPageTests {
    @Test(arguments: PageLanguage.allCases) func thePageIsUpToDate(language: PageLanguage) throws {
        let page = OptionsPage(language: language)
        #expect(try Snapshot(page.path).difference(from: page.text) == nil)
    }

    @Test(arguments: PageLanguage.allCases) func thePageHasEveryOptionTwice(language: PageLanguage) {
        let rows = OptionsPage(language: language).text.split(separator: "\n")
        for option in ProgramOption.all {
            let forms = rows.filter { $0.hasPrefix("| `\(option.longForm)`") || $0.hasPrefix("| `\(option.longForm) ") }
            #expect(forms.count == 2, "by topic, and from A to Z: \(option.longForm)")
        }
    }

    @Test func everyTextOfTheHelpHasItsTranslationAndNoOtherHas() {
        let texts =
            ProgramOption.all.compactMap { option in option.commands.first.map(option.summary(for:)) }
            + Command.allCases.map(\.summary) + OptionGroup.allCases.flatMap { [$0.rawValue, $0.summary] }
            + [HelpTopic.keys, .exitCodes].flatMap { HelpPage($0)?.rows.map(\.meaning) ?? [] }
        let missing = texts.filter { ChineseTexts.all[$0] == nil }
        #expect(missing == [], "translate these in ChineseTexts")
        let page = OptionsPage(language: .chinese).text
        #expect(ChineseTexts.all.values.filter { !page.contains($0.replacing("|", with: "\\|")) } == [])
    }
}
