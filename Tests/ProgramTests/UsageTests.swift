import Testing

@testable import SpateProgram

@Suite struct UsageTests {
    private static let topics = [nil] + HelpTopic.all.map(Optional.some)

    private func lines(about topic: HelpTopic?) -> [String] {
        Usage.help(about: topic).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// A terminal of 24 lines shows a page and a prompt below. Five lines are for new options: if a page has less room,
    /// move some of it to another page or to a new one. New options need not be on the overview.
    @Test(arguments: topics.filter { $0 != .options })
    func everyPageFitsASmallTerminalAndHasRoomForNewOptions(topic: HelpTopic?) {
        let lines = lines(about: topic)
        #expect(lines.count < (topic == nil ? 24 : 24 - 5))
        #expect(lines.filter { $0.count >= 80 } == [])
        #expect(lines.filter { $0.last == " " } == [])
    }

    @Test(arguments: ProgramOption.all)
    func helpListsEveryOption(option: ProgramOption) {
        let groups = OptionGroup.allCases.filter { $0.options.contains(option) }.map(HelpTopic.group)
        let own = ProgramOption.ofOneCommand.contains(option) ? option.commands.map(HelpTopic.command) : []
        let pages: [HelpTopic] = groups + own + (option.commands.contains(.get) ? [.options] : [])
        #expect(pages.count == (option.commands.contains(.get) && !groups.isEmpty ? 2 : 1))
        for text in pages.map(Usage.help) {
            #expect(text.contains(option.longForm))
            if let letter = option.letter { #expect(text.contains("-\(letter), \(option.longForm)")) }
            if let value = option.valueName { #expect(text.contains("\(option.longForm) \(value) ")) }
        }
    }

    @Test func theOverviewAndTheListOfTopicsNameAllPages() {
        let overview = Usage.help(about: nil)
        let list = Usage.help(about: .topics)
        for topic in HelpTopic.all {
            #expect(list.contains(topic.word))
            // Its command prints what shells read.
            #expect(topic == .command(.completions) || overview.contains(topic.word))
        }
        #expect(Set(HelpTopic.all.map(\.word)).count == HelpTopic.all.count)
    }

    @Test(arguments: HelpTopic.all) func aTopicIsFoundByItsWord(topic: HelpTopic) throws {
        #expect(try ArgumentParser.parse(["help", topic.word]).helpTopic == topic)
        #expect(HelpPage(topic) != nil)
    }

    @Test(
        arguments: [
            ("nonsense", "spate help topics lists all topics"), ("speeed", "did you mean spate help speed?"),
            ("Keys", "did you mean spate help keys?"), ("exit-code", "did you mean spate help exit-codes?"),
            ("timeout", "for --timeout, see spate help time"), ("tiemout", "for --timeout, see spate help time"),
            ("online", "for --online, see spate help verify"),
        ]
    )
    func anUnknownTopicIsAnErrorThatSuggestsOne(word: String, advice: String) {
        let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(["help", word]) }
        #expect(error?.kind == .helpTopic && error?.message.hasSuffix(advice) == true, "\(error?.message ?? "")")
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
