import HTTPSyntax
import HTTPTransport
import Simulation
import TestSupport
import Testing

struct NetworkFileTests {
    @Test func aHealthyFileComesWhole() throws {
        for seed in 0..<UInt64(100) {
            let world = NetworkWorld(seed)
            let file = world.file(isSecure: seed % 2 == 0)
            let got = try world.fetch(file.url)
            let content = file.contents[0]
            #expect(got.isComplete && got.heads[0].status == 200 && content.isSame(as: got.body), "\(seed)")
            // As from BodyBuffer: a full block is passed on before its body's end is known.
            let isFull = content.count == 16 * 1_024 || content.count % (256 * 1_024) == 0
            #expect(got.lastFlags.last == (content.count == 0 ? nil : !isFull), "\(seed): \(content.count)")
            #expect(got.heads[0].contentLength == .exact(Int64(content.count)))
        }
    }

    @Test func aRangeIsThatPart() throws {
        for seed in 0..<UInt64(100) {
            let world = NetworkWorld(seed)
            let file = world.file()
            let content = file.contents[0]
            let got = try world.fetch(file.url, range: 10..<5_000)
            if content.count <= 10 {
                #expect(got.heads[0].status == 416)
                #expect(got.heads[0].fields.first(of: "content-range") == "bytes */\(content.count)")
            } else {
                let end = min(content.count, 5_000)
                #expect(got.heads[0].status == 206 && got.body == Array(content.bytes[10..<end]), "\(seed)")
                #expect(got.heads[0].fields.first(of: "content-range") == "bytes 10-\(end - 1)/\(content.count)")
            }
        }
    }

    @Test func conditionsAreAboutTheVersion() throws {
        let world = NetworkWorld(3)
        let file = world.file()
        let first = try world.fetch(file.url)
        let tag = try #require(first.heads[0].fields.first(of: "etag"))
        #expect(try world.fetch(file.url, fields: [("If-None-Match", tag)]).heads[0].status == 304)
        #expect(try world.fetch(file.url, range: 1..<3, fields: [("If-Range", tag)]).heads[0].status == 206)
        world.network.change(file)
        let second = try world.fetch(file.url, range: 1..<3, fields: [("If-Range", tag)])
        let isLast = try #require(file.contents.last).isSame(as: second.body)
        #expect(second.heads[0].status == 200 && isLast && second.body != first.body)
        #expect(second.heads[0].fields.first(of: "etag") != tag)
        #expect(try world.fetch(file.url, fields: [("If-None-Match", tag)]).heads[0].status == 200)
        let known = world.network.contents(of: file.url)
        #expect(known.contains { $0.isSame(as: first.body) } && known.contains { $0.isSame(as: second.body) })
    }

    @Test func aStatedDigestIsTheFilesOrIsWrong() throws {
        var (right, wrong) = (0, 0)
        for seed in 0..<UInt64(60) {
            let faults: [NetworkFault] = seed % 2 == 0 ? [] : [.wrongDigest]
            let world = NetworkWorld(seed)
            let file = world.file(faults)
            let got = try world.fetch(file.url)
            guard let stated = StatedDigest(head: got.heads[0]) else { continue }
            let isRight = stated.bytes == file.contents[0].digest(stated.algorithm)
            #expect(isRight == faults.isEmpty, "\(seed)")
            if isRight { right += 1 } else { wrong += 1 }
        }
        #expect(right > 3 && wrong > 3)
    }

    @Test func everyFaultShowsSomewhereAndForbiddenOnesNowhere() throws {
        var seen: Set<NetworkFault> = []
        for seed in 0..<UInt64(60) {
            var random = SeededRandom(seed: seed)
            let some = NetworkFault.allCases.shuffled(using: &random).prefix(30)
            let forbidden = seed % 4 == 0 ? Set(some) : []
            let world = NetworkWorld(seed, forbidden: forbidden)
            world.network.populate(files: 12, hosts: 5)
            try askMuch(world)
            let shown = Set(world.network.occurrences.map(\.fault))
            #expect(shown.isDisjoint(with: forbidden), "\(seed): \(shown.intersection(forbidden))")
            seen.formUnion(shown)
        }
        let missing = NetworkFault.allCases.filter { !seen.contains($0) }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test func aForbiddenFaultLeavesTheOthersAsTheyAre() {
        for seed in 0..<UInt64(50) {
            let (all, without) = (NetworkWorld(seed, forbidden: []), NetworkWorld(seed, forbidden: [.cut, .slowHost]))
            for world in [all, without] { world.network.populate(files: 8) }
            let faults = all.network.files.map { $0.faults.filter { $0 != .cut } }
            #expect(without.network.files.map(\.faults) == faults)
            #expect(without.network.files.map(\.url) == all.network.files.map(\.url))
            #expect(without.network.files.map { $0.contents[0].name } == all.network.files.map { $0.contents[0].name })
        }
    }

    @Test func aHealedNetworkServesEveryFile() throws {
        for seed in 0..<UInt64(60) {
            let world = NetworkWorld(seed, forbidden: [])
            world.network.populate(files: 6)
            while world.timeline.now < .seconds(30), world.timeline.step() {}
            world.network.heal()
            for file in world.network.files {
                let got = try world.fetch(file.url)
                #expect(got.isComplete && got.heads.first?.status == 200, "\(seed): \(got.ends) \(got.heads)")
                #expect(file.contents.contains { $0.isSame(as: got.body) }, "\(seed)")
            }
        }
    }

    @Test func aSignedURLExpires() throws {
        let world = NetworkWorld(5)
        let file = world.file([.signatures])
        #expect([401, 403, 410].contains(try world.fetch(file.url).heads[0].status))
        let signed = world.network.signed(file.url)
        #expect(try world.fetch(signed).heads[0].status == 200)
        world.timeline.after(.seconds(100)) {}
        world.run()
        #expect([401, 403, 410].contains(try world.fetch(signed).heads[0].status))
        #expect(world.network.requestCount(of: file.url) == 3)
    }

    @Test func aRequestBeforeRetryAfterIsOverIsSeen() throws {
        var count = 0
        for seed in 0..<UInt64(60) {
            let world = NetworkWorld(seed)
            let host = SimulatedHost(
                "host.example",
                isSecure: false,
                faults: [.busyHost, .retryAfter],
                random: world.timeline.random.fork()
            )
            world.network.add(host)
            let file = world.network.addFile("file.bin", on: host)
            let first = try world.fetch(file.url)
            guard first.heads.first?.fields.first(of: "retry-after") != nil else { continue }
            count += 1
            #expect(world.network.requests[0].retryAfter != nil && world.network.earlyRequests.isEmpty)
            _ = try world.fetch(file.url)
            #expect(world.network.earlyRequests.map(\.number) == [1])
            #expect(world.network.requests[1].quietCause == 0)
        }
        #expect(count > 5)
    }

    @Test func aSecretAtAForeignHostIsSeen() throws {
        let world = NetworkWorld(1)
        let file = world.file()
        world.network.guardSecret("open sesame", for: ["https://other.example"])
        _ = try world.fetch(file.url, fields: [("X-Key", "open sesame"), ("Accept", "*/*")])
        #expect(world.network.leaks.map(\.field) == ["X-Key"])
    }

    private func askMuch(_ world: NetworkWorld) throws {
        for round in 0..<4 {
            for file in world.network.files {
                world.timeline.after(.seconds(round * 8)) {
                    for url in [file.url] + file.mirrors.map(\.url) {
                        _ = try? world.start(url, range: round % 2 == 0 ? nil : 5..<90_000, sink: NetworkSink())
                    }
                    _ = try? world.start(file.url, fields: [("If-None-Match", "\"x\"")], sink: NetworkSink())
                    _ = try? world.start(
                        file.url,
                        range: 5..<90_000,
                        fields: [("If-Range", "\"x\"")],
                        sink: NetworkSink()
                    )
                    for mirror in file.mirrors { _ = try? world.start(mirror.url, sink: NetworkSink()) }
                    _ = try? world.start(file.targetURL, range: 5..<9, sink: NetworkSink())
                }
            }
        }
        world.run()
    }
}
