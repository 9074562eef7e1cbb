import TestSupport
import Testing

/// Whole worlds, played by the program: it has the main thread that they need.
@Suite(.takesTurns) struct WorldTests {
    private func run(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: String) {
        let child = try ChildProcess(BuiltProgram.path("spate-simulation"), arguments)
        let exit = try await child.waitForExit()
        return (exit, child.output + child.errors)
    }

    @Test func nothingIsWrongInSomeWorlds() async throws {
        let (exit, output) = try await run(["--seeds", "1-100"])
        #expect(exit == .status(0) && output.contains("100 worlds, 0 failed"), "\(output)")
    }

    /// Each once showed a mistake: progress that fell while an overlap was compared; a mark that could not be written; a host
    /// that was asked during the body of its refusal; progress beyond the total; and a name that was lost after a failed sync.
    @Test(arguments: [1_959, 2_935, 3_981, 7_863, 8_424, 17_335])
    func nothingIsWrongWhereSomethingWas(seed: Int) async throws {
        let (exit, output) = try await run(["--seed", "\(seed)"])
        #expect(exit == .status(0), "\(output.suffix(2_000))")
    }

    @Test func theSameSeedMakesTheSameHappen() async throws {
        for seed in ["10", "853"] {
            let (first, second) = (
                try await run(["--seed", seed, "--verbose"]), try await run(["--seed", seed, "--verbose"])
            )
            #expect(first.output == second.output && first.output.contains("trace"), "\(first.output.suffix(300))")
        }
    }

    @Test func whatItIsAskedIsChecked() async throws {
        #expect(try await run(["--seeds", "9-1"]).exit == .status(2))
        #expect(try await run(["--shrink"]).output.contains("say which worlds"))
        #expect(try await run(["--without", "nonsense", "--seed", "1"]).output.contains("no such fault: nonsense"))
    }
}
