import SpateHTTPSyntax
import SpateHTTPTransport
import SpateSimulation
import SpateTestSupport
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

    @Test func everyFaultShowsSomewhereAndForbiddenOnesNowhere() throws {
        var seen: Set<NetworkFault> = []
        for seed in 0..<UInt64(90) {
            var random = SeededRandom(seed: seed)
            let some = NetworkFault.allCases.shuffled(using: &random).prefix(30)
            let forbidden = seed % 4 == 0 ? Set(some) : []
            let world = NetworkWorld(seed, forbidden: forbidden)
            world.network.populate(files: 14, hosts: 7)
            try askMuch(world)
            let shown = Set(world.network.occurrences.map(\.fault))
            #expect(shown.isDisjoint(with: forbidden), "\(seed): \(shown.intersection(forbidden))")
            seen.formUnion(shown)
        }
        let missing = NetworkFault.allCases.filter { !seen.contains($0) }
        #expect(missing.isEmpty, "\(missing)")
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
