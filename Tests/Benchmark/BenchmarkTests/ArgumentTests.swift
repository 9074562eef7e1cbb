import Foundation
import Testing

@testable import spate_benchmark

@Suite struct ArgumentTests {
    @Test func withoutWordsEverythingIsMeasuredFiveTimes() throws {
        let arguments = try BenchmarkArguments([])
        #expect(arguments.action == .measure && arguments.rounds == 5 && arguments.scale == 1)
        #expect(arguments.scenarios == Scenario.all && arguments.contestants == Contestant.allCases)
    }

    @Test func namedScenariosRunInTheOrderOfTheListAndOnce() throws {
        let arguments = try BenchmarkArguments(["tls", "--rounds", "2", "large-tmpfs", "tls"])
        #expect(arguments.scenarios.map(\.name) == ["large-tmpfs", "tls"])
        #expect(arguments.rounds == 2)
    }

    @Test func aValueMayBeAttachedToItsOption() throws {
        let arguments = try BenchmarkArguments(["--json=a=b", "--programs=wget2,spate", "--rounds=1"])
        #expect(arguments.json == "a=b" && arguments.rounds == 1)
        #expect(arguments.contestants == [.spate, .wget2])
    }

    @Test func helpIsGivenWhateverElseIsWrong() throws {
        #expect(try BenchmarkArguments(["nonsense", "--help", "--also-wrong"]).action == .help)
    }

    @Test(arguments: [
        (["larg-tmpfs"], "unknown scenario larg-tmpfs; did you mean large-tmpfs?"),
        (["large"], "unknown scenario large; did you mean large-tmpfs?"),
        (["zzzzzz"], "unknown scenario zzzzzz"),
        (["--round", "3"], "unknown option --round; did you mean --rounds?"),
        (["--programs", "curl,wget"], "unknown program wget; did you mean wget2?"),
        (["--rounds"], "--rounds needs a value: --rounds N"),
        (["--rounds", "0"], "--rounds takes a number from 1 to 1000"),
        (["--rounds", "many"], "--rounds takes a number from 1 to 1000"),
        (["--list=all"], "--list takes no value"),
        (["--scale", "-1"], "--scale takes a factor above 0, up to 10"),
    ])
    func aMistakeIsToldWithWhatWasMeant(words: [String], message: String) {
        #expect(throws: UsageError(message: message)) { try BenchmarkArguments(words) }
    }

    @Test func theHelpExplainsEveryScenario() {
        for scenario in Scenario.all {
            let explanation = scenario.explanation.replacingOccurrences(of: "\n", with: "\n      ")
            #expect(Usage.help.contains("  \(scenario.name)\n      \(explanation)\n"))
        }
        #expect(Usage.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test func aScaleMakesFilesSmallerOrFewer() throws {
        let scenarios = try BenchmarkArguments(["--scale", "0.001"]).scenarios
        let large = try #require(scenarios.first { $0.name == "large-tmpfs" })
        #expect(large.fileCount == 3 && large.fileBytes == 536_871)
        let small = try #require(scenarios.first { $0.name == "small-tmpfs" })
        #expect(small.fileCount == 3 && small.fileBytes == 4_096)
        #expect(scenarios.last?.queueCounts == [1, 10, 100])
    }
}
