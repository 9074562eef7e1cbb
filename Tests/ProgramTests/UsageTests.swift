import Testing

@testable import SpateProgram

@Suite struct UsageTests {
    private static let topics: [HelpTopic?] = [nil, .options] + Command.allCases.map(HelpTopic.command)

    @Test(arguments: topics) func everyPageFitsASmallTerminal(topic: HelpTopic?) {
        let lines = Usage.help(about: topic).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 24)
        #expect(lines.filter { $0.count >= 80 } == [])
    }

    @Test(arguments: ProgramOption.all)
    func helpListsEveryOption(option: ProgramOption) {
        // The overview has those of `get` that are asked for most.
        let pages = Usage.help + Usage.help(about: .options)
        #expect(pages.contains(option.longForm))
        if let letter = option.letter { #expect(pages.contains("-\(letter), \(option.longForm)")) }
        if let value = option.valueName { #expect(pages.contains("\(option.longForm) \(value) ")) }
    }
}
