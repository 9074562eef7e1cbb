import Testing

@testable import SpateProgram

/// The values of a successful run, made from the server's responses.
private func goodProof() -> DemoProof {
    let start = ContinuousClock.now
    var exchanges: [DemoExchange] = []
    func add(_ file: DemoFile, _ path: String? = nil, from: Int? = nil) {
        let visit = exchanges.count { $0.name == file.name } + 1
        let request = DemoRequest(path: path ?? "/\(file.name)", rangeStart: from, ifRange: from.map { _ in "\"v1\"" })
        let reply = file.reply(to: request, visit: visit)
        var exchange = DemoExchange(request, began: start + .seconds(2 * visit))
        exchange.status = reply.status
        exchange.sent = reply.body.count
        exchange.end =
            switch reply.ending {
            case .whole: .whole
            case .cut: .cut
            case .reset: .reset
            case .held: .clientLeft
            }
        exchanges.append(exchange)
    }
    for file in DemoFile.all {
        add(file)
        switch file.scenario {
        case .plain, .chunked: break
        case .refusedOnce: add(file)
        case .redirected: add(file, "/new-place/\(file.name)")
        case .cutTwice:
            add(file, from: file.content.size / 3)
            add(file, from: file.content.size * 2 / 3)
        case .wrongRange:
            add(file, from: file.half)
            add(file)
        case .killed, .pausedHalfway, .changed, .withoutRanges, .reset: add(file, from: file.half)
        }
    }
    let killed = DemoFile.all.first { $0.scenario == .killed }
    let paused = DemoFile.all.filter { $0.scenario == .pausedHalfway }.map(\.name)
    return DemoProof(
        exchanges: exchanges,
        peak: 3,
        verdicts: Dictionary(uniqueKeysWithValues: DemoFile.all.map { ($0.name, .right) }),
        outcome: DemoRun.Outcome(paused: Set(paused)),
        kill: DemoKill(wasKilled: true, kept: killed?.half ?? 0, exitCode: 0)
    )
}

private func failed(_ proof: DemoProof) -> [String] {
    proof.claims(for: DemoFile.all).filter { !$0.holds }.map(\.subject)
}

@Suite struct DemoProofTests {
    @Test func aSuccessfulRunProvesEverything() {
        #expect(failed(goodProof()) == [])
        #expect(goodProof().claims(for: DemoFile.all).allSatisfy { $0.line.count < 80 })
    }

    @Test(arguments: DemoFile.all)
    func aWrongFileIsNotProven(file: DemoFile) throws {
        var proof = goodProof()
        proof.verdicts[file.name] = .differs(at: 4711)
        #expect(failed(proof) == [file.name, "every byte"])
        proof = goodProof()
        proof.outcome.failures[file.name] = "It broke."
        #expect(failed(proof).first == file.name)
    }

    @Test(arguments: DemoFile.all)
    func otherRequestsAreNotProven(file: DemoFile) throws {
        var proof = goodProof()
        let last = try #require(proof.exchanges.lastIndex { $0.name == file.name })
        proof.exchanges[last].sent += 1
        #expect(failed(proof) == [file.name])
        guard ![.plain, .chunked].contains(file.scenario) else { return }
        // The server behaves well instead of badly.
        proof.exchanges.removeAll { $0.name == file.name }
        var whole = DemoExchange(DemoRequest(path: "/\(file.name)"))
        whole.status = 200
        whole.sent = file.finalContent.size
        whole.end = .whole
        proof.exchanges.append(whole)
        #expect(failed(proof).first == file.name)
    }

    @Test func whatDidNotHappenIsNotProven() {
        let changes: [([String], (inout DemoProof) -> Void)] = [
            (["survives-kill-9.iso"], { $0.kill.wasKilled = false }),
            (["survives-kill-9.iso"], { $0.kill.exitCode = 1 }),
            (["paused-halfway.mp4"], { $0.outcome.paused = [] }),
            (["three at a time"], { $0.peak = 4 }),
            (["nothing left over"], { $0.partials = ["a.part"] }),
            // The retry comes too early.
            (
                ["busy-server.deb"],
                { proof in
                    let index = proof.exchanges.lastIndex { $0.name == "busy-server.deb" }
                    if let index { proof.exchanges[index].began -= .seconds(2) }
                }
            ),
            // There is a third request.
            (
                ["survives-kill-9.iso", "already here"],
                { proof in
                    proof.exchanges += proof.exchanges.filter { $0.name == "survives-kill-9.iso" }.suffix(1)
                }
            ),
        ]
        for (subjects, change) in changes {
            var proof = goodProof()
            change(&proof)
            #expect(failed(proof) == subjects)
        }
    }
}
