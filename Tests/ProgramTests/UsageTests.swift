import Testing

@testable import SpateProgram

@Suite struct UsageTests {
    private static let topics: [HelpTopic?] =
        [nil, .files, .options, .programs] + Command.allCases.map(HelpTopic.command)

    @Test(arguments: topics) func everyPageFitsASmallTerminal(topic: HelpTopic?) {
        let lines = Usage.help(about: topic).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 24)
        #expect(lines.filter { $0.count >= 80 } == [])
    }

    @Test(arguments: ProgramOption.all)
    func helpListsEveryOption(option: ProgramOption) {
        // The overview has those of `get` that are asked for most. Those of a single command may be on its page.
        let own: [HelpTopic?] = option.commands.count == 1 ? [.command(option.commands[0])] : []
        let pages = ([nil, .files, .options, .programs] + own).map { Usage.help(about: $0) }.joined()
        #expect(pages.contains(option.longForm))
        if let letter = option.letter { #expect(pages.contains("-\(letter), \(option.longForm)")) }
        if let value = option.valueName { #expect(pages.contains("\(option.longForm) \(value) ")) }
    }

    /// The tests of the commands run what the examples do.
    @Test(arguments: topics) func eachExampleIsUnderstood(topic: HelpTopic?) throws {
        let lines = Usage.help(about: topic).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("Example") })
        for line in lines[start...].dropFirst() {
            // The parts of a line in a shell that are programs of their own.
            let commands = line.split { "|&<>()".contains($0) }.map { $0.split(separator: " ").map(String.init) }
            let own = commands.filter { $0.first == "spate" }
            #expect(!own.isEmpty, "\(line)")
            for words in own { #expect(throws: Never.self) { try ArgumentParser.parse(Array(words.dropFirst())) } }
        }
    }
}
