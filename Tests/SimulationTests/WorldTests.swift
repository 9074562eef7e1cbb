import SpateTestSupport
import Testing

/// Whole worlds, played by the program: it has the main thread that they need.
@Suite(.takesTurns) struct WorldTests {
    private func run(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: String) {
        let child = try ChildProcess(BuiltProgram.path("spate-simulation"), arguments)
        let exit = try await child.waitForExit()
        return (exit, child.output + child.errors)
    }

    @Test(arguments: [[], ["--threads"]]) func nothingIsWrongInSomeWorlds(way: [String]) async throws {
        let (exit, output) = try await run(["--seeds", "1-50"] + way)
        #expect(exit == .status(0) && output.contains("50 worlds, 0 failed"), "\(output)")
    }

    /// In the worlds of their time these showed mistakes: progress that fell while an overlap was compared; a mark that could not
    /// be written; a host that was asked during the body of its refusal; progress beyond the total; a name that was lost after a
    /// failed sync; a ban for a mirror's second connection, which ended the URL on the same host; a file that went while its name
    /// was synced.
    @Test(arguments: ["1959", "2935", "3981", "7863", "8424", "17335", "401685", "2577 --threads"])
    func nothingIsWrongWhereSomethingWas(seed: String) async throws {
        let (exit, output) = try await run(["--seed"] + seed.split(separator: " ").map(String.init))
        #expect(exit == .status(0), "\(output.suffix(2_000))")
    }

    @Test(arguments: [[], ["--threads"]]) func theSameSeedMakesTheSameHappen(way: [String]) async throws {
        let words = ["--seed", "853", "--verbose"] + way
        let (first, second) = (try await run(words), try await run(words))
        #expect(first.output == second.output && first.output.contains("trace"), "\(first.output.suffix(300))")
    }

    /// Whatever its process has played before.
    @Test(arguments: [[], ["--threads"]]) func aWorldIsTheSameAmongOthers(way: [String]) async throws {
        let alone = try await run(["--seed", "19"] + way).output
        let lines = try await run(["--seeds", "1-20", "--verbose"] + way).output.split(separator: "\n")
        #expect(alone.contains("trace") && lines.contains { alone.hasSuffix($0 + "\n") }, "\(alone) \(lines)")
    }

    @Test func whatLinesHaveMetIsCounted() async throws {
        let (exit, output) = try await run(["--seeds", "1-24", "--meetings"])
        let missing = output.split(separator: "\n").compactMap { line in
            line.hasSuffix(" of 225 never met") ? Int(line.prefix { $0.isNumber }) : nil
        }
        #expect(exit == .status(0) && missing.count == 1 && missing.allSatisfy { $0 < 225 }, "\(output)")
    }

    @Test func whatItIsAskedIsChecked() async throws {
        #expect(try await run(["--seeds", "9-1"]).exit == .status(2))
        #expect(try await run(["--shrink"]).output.contains("say which worlds"))
        #expect(try await run(["--without", "nonsense", "--seed", "1"]).output.contains("no such fault: nonsense"))
    }
}
