import Testing

@testable import spate_benchmark

@Suite struct ArgumentTests {
    @Test func withoutANumberThereAreNineRounds() throws {
        #expect(try BenchmarkArguments(["small-tmpfs"]).rounds == 9)
        #expect(try BenchmarkArguments(["small-tmpfs", "--rounds", "3"]).rounds == 3)
    }
}
