import Testing

@testable import SpateProgram

/// A record of a run as it is meant to be, made from what the server would answer.
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
        switch file.story {
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
    let killed = DemoFile.all.first { $0.story == .killed }
    let paused = DemoFile.all.filter { $0.story == .pausedHalfway }.map(\.name)
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
    @Test func aRunAsItIsMeantToBeProvesEverything() {
        #expect(failed(goodProof()) == [])
        #expect(goodProof().claims(for: DemoFile.all).allSatisfy { $0.line.count < 80 })
    }

    @Test(arguments: DemoFile.all.map(\.name))
    func oneWrongByteIsTold(name: String) throws {
        var proof = goodProof()
        proof.verdicts[name] = .differs(at: 4711)
        #expect(failed(proof) == [name, "every byte"])
        let claim = try #require(proof.claims(for: DemoFile.all).first { $0.subject == name })
        #expect(claim.text == "the byte at 4711 is wrong")
    }

    @Test(arguments: DemoFile.all.map(\.name))
    func aFailureIsToldWithItsReason(name: String) {
        var proof = goodProof()
        proof.outcome.failures[name] = "It broke."
        #expect(failed(proof).first == name)
    }

    @Test(arguments: DemoFile.all.map(\.name))
    func aByteThatWasSentTwiceIsTold(name: String) throws {
        var proof = goodProof()
        let last = try #require(proof.exchanges.lastIndex { $0.name == name })
        proof.exchanges[last].sent += 1
        #expect(failed(proof) == [name])
    }

    @Test(arguments: DemoFile.all.filter { ![.plain, .chunked].contains($0.story) }.map(\.name))
    func aMisdeedThatTheServerDidNotDoIsTold(name: String) {
        var proof = goodProof()
        proof.exchanges.removeAll { $0.name == name }
        var whole = DemoExchange(DemoRequest(path: "/\(name)"))
        whole.status = 200
        whole.sent = DemoFile.all.first { $0.name == name }?.finalContent.size ?? 0
        whole.end = .whole
        proof.exchanges.append(whole)
        #expect(failed(proof).first == name)
    }

    @Test func aProcessThatWasNotKilledIsTold() {
        var proof = goodProof()
        proof.kill.wasKilled = false
        #expect(failed(proof) == ["survives-kill-9.iso"])
    }

    @Test func aProcessThatDidNotGoOnIsTold() {
        var proof = goodProof()
        proof.kill.exitCode = 1
        #expect(failed(proof) == ["survives-kill-9.iso"])
    }

    @Test func aPauseThatWasNotSeenIsTold() {
        var proof = goodProof()
        proof.outcome.paused = []
        #expect(failed(proof) == ["paused-halfway.mp4"])
    }

    @Test func moreThanThreeAtATimeAreTold() {
        var proof = goodProof()
        proof.peak = 4
        #expect(failed(proof) == ["three at a time"])
    }

    @Test func whatIsLeftOverIsTold() {
        var proof = goodProof()
        proof.partials = ["a.part"]
        #expect(failed(proof) == ["nothing left over"])
    }

    @Test func comingBackTooEarlyIsTold() throws {
        var proof = goodProof()
        let last = try #require(proof.exchanges.lastIndex { $0.name == "busy-server.deb" })
        proof.exchanges[last].began -= .seconds(2)
        #expect(failed(proof) == ["busy-server.deb"])
    }

    @Test func oneRequestTooManyIsTold() throws {
        var proof = goodProof()
        proof.exchanges.append(try #require(proof.exchanges.last { $0.name == "survives-kill-9.iso" }))
        #expect(failed(proof) == ["survives-kill-9.iso", "already here"])
    }
}
