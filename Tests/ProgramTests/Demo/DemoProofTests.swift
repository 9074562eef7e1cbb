import Testing

@testable import SpateDemo

/// What the demo must not claim. `DemoCommandTests` runs it.
@Suite struct DemoProofTests {
    private static let verdicts = Dictionary(uniqueKeysWithValues: DemoFile.all.map { ($0.name, DemoVerdict.right) })

    private func proof(_ exchanges: [DemoExchange], partials: [String] = []) -> DemoProof {
        let paused = Set(DemoFile.all.map(\.name))
        return DemoProof(
            exchanges: exchanges,
            peak: 4,
            connections: [:],
            verdicts: Self.verdicts,
            outcome: DemoRun.Outcome(paused: paused),
            kill: DemoKill(wasKilled: true, kept: 1, exitCode: 0),
            partials: partials
        )
    }

    private func whole(_ file: DemoFile) -> DemoExchange {
        var exchange = DemoExchange(DemoRequest(path: "/\(file.name)"))
        exchange.status = 200
        exchange.sent = file.finalContent.size
        exchange.end = .whole
        return exchange
    }

    @Test(arguments: DemoFile.all)
    func rightFilesAloneProveNothing(file: DemoFile) {
        #expect(!proof([]).claim(for: file).holds)
        // A server without faults proves only the files without faults.
        let holds = proof([whole(file)]).claim(for: file).holds
        #expect(holds == [.plain, .chunked].contains(file.scenario))
    }

    @Test func aWrongFileIsNotProven() throws {
        let file = try #require(DemoFile.all.first { $0.scenario == .plain })
        var proof = proof([whole(file)])
        proof.verdicts[file.name] = .differs(at: 4711)
        #expect(!proof.claim(for: file).holds)
        #expect(proof.claim(for: file).text == "the byte at 4711 is wrong")
        proof.verdicts = Self.verdicts
        proof.outcome.failures[file.name] = "It broke."
        #expect(!proof.claim(for: file).holds)
    }

    @Test func tooManyRequestsAtOnceAndLeftoversAreNotProven() {
        let claims = proof([], partials: ["a.part"]).claims(for: DemoFile.all)
        #expect(claims.filter(\.holds).map(\.subject) == ["every byte"])
    }
}
