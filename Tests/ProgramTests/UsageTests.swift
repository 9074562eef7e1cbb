import Testing

@testable import SpateProgram

@Suite struct UsageTests {
    @Test func helpFitsASmallTerminal() {
        let lines = Usage.help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 24)
        #expect(lines.allSatisfy { $0.count < 80 })
    }

    @Test(arguments: ProgramOption.allCases)
    func helpTellsEveryOption(option: ProgramOption) {
        #expect(Usage.help.contains(option.longForm))
        if let letter = option.letter, option != .help {
            #expect(Usage.help.contains("-\(letter), \(option.longForm)"))
        }
    }

    @Test(arguments: [Command.get, .status, .resume, .delete, .demo])
    func helpTellsEveryCommand(command: Command) {
        #expect(Usage.help.contains(command.rawValue))
    }

    @Test func theExamplesOfTheHelpAreRightCalls() throws {
        let lines = Usage.help.split(separator: "\n").map { $0.drop { $0 == " " } }
        let start = try #require(lines.firstIndex { $0.hasPrefix("Example") })
        let examples = lines[start...].map { $0.replacing("Example: ", with: "") }
        #expect(examples.count > 1)
        for example in examples {
            let words = example.split(separator: " ").map(String.init)
            #expect(words.first == "spate")
            let arguments = try ArgumentParser.parse(Array(words.dropFirst()))
            #expect(try arguments.addresses().count == arguments.urls.count)
        }
    }
}
