import TestSupport
import Testing

@testable import spate_benchmark

@Suite struct TurnsTests {
    private static let cost = RunCost(wallSeconds: 1, userSeconds: 0, systemSeconds: 0, peakBytes: 1)
    private let contestants = [Contestant.spate, .curl, .baseline].map {
        InstalledContestant(contestant: $0, path: "/nowhere", version: "none")
    }

    @Test func programsTakeTurnsWithinEachRound() async throws {
        let result = try await taken(Scenario("name", "explanation", files: 1, of: 1)) { _ in }
        #expect(
            result.runs.map(\.program) == ["spate", "curl", "urlsession-baseline"] + [
                "spate", "curl", "urlsession-baseline",
            ]
        )
        #expect(result.runs.map(\.round) == [1, 1, 1, 2, 2, 2] && result.failures.isEmpty)
    }

    @Test func whoFailsIsOutWithAllOfItsFigures() async throws {
        var runs = 0
        let result = try await taken(Scenario("name", "explanation", files: 1, of: 1)) { contestant in
            runs += 1
            if contestant == .curl, runs > 3 { throw WorkFailure("wrong bytes") }
        }
        #expect(Set(result.runs.map(\.program)) == ["spate", "urlsession-baseline"])
        #expect(result.failures == ["curl failed in round 2: wrong bytes"])
    }

    @Test func whoCannotDoTheWorkIsToldAndNotRun() async throws {
        let scenario = Scenario("name", "explanation", files: 1, of: 1, isSecured: true)
        let result = try await taken(scenario) { #expect($0 != .baseline) }
        #expect(result.notes == ["urlsession-baseline is left out: it cannot be told whom to trust."])
        #expect(result.runs.count == 4)
    }

    private func taken(
        _ scenario: Scenario,
        _ work: (Contestant) throws -> Void
    ) async throws -> ScenarioResult {
        var result = scenario.emptyResult
        try await Turns(contestants: contestants, rounds: 2, report: { _ in }).take(of: scenario, into: &result) {
            try work($0.contestant)
            return (Self.cost, nil)
        }
        return result
    }
}
