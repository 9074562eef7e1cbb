import Testing

@testable import SpateProgram

/// Each example of the help is a command line that is not refused. The tests of the commands run what they do.
@Suite struct HelpExampleTests {
    private static let topics: [HelpTopic?] = [nil, .options] + Command.allCases.map(HelpTopic.command)

    @Test(arguments: topics) func itsCommandsAreUnderstood(topic: HelpTopic?) throws {
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
