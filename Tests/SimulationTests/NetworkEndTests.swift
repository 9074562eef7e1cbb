import SpateHTTPTransport
import SpateSimulation
import Testing

struct NetworkEndTests {
    /// What a fault leads to, other than a complete file.
    @Test(arguments: [
        (NetworkFault.cut, TransportError.Kind.broken), (.reset, .broken), (.stall, .stalled),
        (.headStall, .headTimeout),
        (.emptyReply, .emptyReply), (.garbage, .malformedResponse), (.malformedChunk, .malformedChunks),
    ])
    func aFaultOfAFileEndsAsWithCurl(_ fault: NetworkFault, _ kind: TransportError.Kind) throws {
        var (failed, complete) = (0, 0)
        for seed in 0..<UInt64(60) {
            let world = NetworkWorld(seed)
            let file = world.file([fault])
            let got = try world.fetch(file.url)
            let content = file.contents[0]
            if got.isComplete {
                complete += 1
                #expect(content.isSame(as: got.body))
            } else {
                failed += 1
                #expect(got.error?.kind == kind && got.body == Array(content.bytes.prefix(got.body.count)), "\(seed)")
            }
        }
        #expect(failed > 5 && complete > 5, "\(failed) \(complete)")
    }

    @Test(arguments: [
        (NetworkFault.unknownHost, TransportError.Kind.hostNotFound), (.refusedConnections, .connectionFailed),
        (.unreachableHost, .connectTimeout), (.untrustedCertificate, .tlsUntrusted), (.brokenHandshakes, .tlsHandshake),
    ])
    func aFaultOfAHostEndsAsWithCurl(_ fault: NetworkFault, _ kind: TransportError.Kind) throws {
        var failed = 0
        for seed in 0..<UInt64(60) {
            let world = NetworkWorld(seed)
            let random = world.timeline.random.fork()
            let host = SimulatedHost("host.example", isSecure: true, faults: [fault], random: random)
            world.network.add(host)
            let got = try world.fetch(world.network.addFile("file.bin", on: host).url)
            #expect(got.isComplete || got.error?.kind == kind && got.heads.isEmpty, "\(seed): \(got.ends)")
            failed += got.isComplete ? 0 : 1
        }
        #expect(failed > 5)
    }

    @Test func aSilentCutIsCompleteWithoutTLSAlone() throws {
        for isSecure in [false, true] {
            var (short, broken) = (0, 0)
            for seed in 0..<UInt64(60) {
                let world = NetworkWorld(seed, forbidden: [])
                let file = world.file([.silentCut], isSecure: isSecure)
                let got = try world.fetch(file.url)
                let isShort = got.body.count < file.contents[0].count
                short += got.isComplete && isShort ? 1 : 0
                broken += got.error?.kind == .broken ? 1 : 0
            }
            #expect(isSecure ? short == 0 && broken > 5 : short > 5 && broken == 0, "\(short) \(broken)")
        }
    }

    @Test func bytesThatArrivedBeforeACancellationAreDelivered() throws {
        var brought = 0
        for seed in 0..<UInt64(40) {
            let world = NetworkWorld(seed)
            let file = world.file([.drip])
            let sink = NetworkSink()
            let transfer = try world.start(file.url, sink: sink)
            world.timeline.after(.milliseconds(200), in: world.process) { transfer.cancel() }
            world.run()
            let isPrefix = sink.body == Array(file.contents[0].bytes.prefix(sink.body.count))
            #expect(sink.ends.count == 1 && isPrefix && !(sink.isCancelled && sink.lastFlags.contains(true)))
            if sink.isCancelled, !sink.body.isEmpty { brought += 1 }
        }
        #expect(brought > 5, "\(brought)")
    }
}
