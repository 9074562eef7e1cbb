import Testing

@testable import spate_benchmark

@Suite struct ArgumentTests {
    @Test func withoutANumberThereAreNineRounds() throws {
        #expect(try BenchmarkArguments(["small-tmpfs"]).rounds == 9)
        #expect(try BenchmarkArguments(["small-tmpfs", "--rounds", "3"]).rounds == 3)
    }

    @Test func namedScenariosKeepTheOrderOfTheList() throws {
        let names = ["small-h2-many", "small-h2", "small-tls", "one-by-one"]
        #expect(try BenchmarkArguments(names).scenarios.map(\.name) == names.reversed())
    }

    @Test func aNameForManyScenariosIsAllOfThem() throws {
        let scenarios = try BenchmarkArguments(["servers", "small-tls", "line-50-h2", "--publish", "."]).scenarios
        #expect(scenarios.map(\.name) == ["line-50-h2"] + Scenario.servers.map(\.name) + ["small-tls"])
        #expect(try BenchmarkArguments(["lines", "--publish", "clone"]).publish == "clone")
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        #expect(throws: UsageError("unknown scenario wires; --list names them")) { try BenchmarkArguments(["wires"]) }
    }

    @Test func aProgramOfALineIsCalledAsUsersCallIt() throws {
        let (scenario, folder) = (try #require(Scenario.lines.first), try TemporaryFolder())
        let order = try FetchOrder(
            [("file", "http://198.18.0.2/file")],
            of: scenario,
            authority: nil,
            connections: nil,
            into: folder,
            notes: folder
        )
        let tuned = try #require(scenario.entries?.first { $0.name == "aria2c -j16 -x8 -s8 -k1M" })
        let installed = InstalledContestant(contestant: .aria2c, path: "/aria2c", version: "")
        let words = try tuned.command(of: installed, for: order).arguments
        #expect(
            words == ["--no-conf", "--quiet", "--input-file", order.list, "--dir", folder.path]
                + ["-j16", "-x8", "-s8", "-k1M"]
        )
        #expect(!Contestant.spate.arguments([], for: order).contains("--jobs"))
    }

    @Test func theLibraryIsGivenAListAndAFolder() throws {
        let action = try BenchmarkArguments(["--fetch-one-by-one", "list", "folder"]).action
        #expect(action == .fetchOneByOne(list: "list", folder: "folder"))
        let missing = UsageError("--fetch-one-by-one needs a value: --fetch-one-by-one LIST FOLDER")
        #expect(throws: missing) { try BenchmarkArguments(["--fetch-one-by-one", "list"]) }
    }
}
