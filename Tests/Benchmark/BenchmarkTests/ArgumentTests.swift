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

    @Test func theLibraryIsGivenAListAndAFolder() throws {
        let action = try BenchmarkArguments(["--fetch-one-by-one", "list", "folder"]).action
        #expect(action == .fetchOneByOne(list: "list", folder: "folder"))
        let missing = UsageError("--fetch-one-by-one needs a value: --fetch-one-by-one LIST FOLDER")
        #expect(throws: missing) { try BenchmarkArguments(["--fetch-one-by-one", "list"]) }
    }
}
