import Foundation
import HTTPSyntax
import HTTPTransport
import Locking
import TestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct AttemptCancelTests {
    /// - Parameter isLate: whether the call that starts the first transfer returns after the second was cancelled.
    @Test(arguments: [false, true])
    func aRedirectedAttemptCancelsOnlyTheTransferThatIsUnderWay(isLate: Bool) async throws {
        let transport = RedirectingTransport(isLate: isLate)
        let folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        let manager = DownloadManager(configuration: configuration, in: Surroundings(transport: transport))
        let download = manager.download(try #require(URL(string: "http://host.test/f")))
        try await transport.started.wait(until: { $0 == 2 })
        let operation = try #require(download.operation)
        download.cancel()
        try await eventually("the attempt is over") { operation.isFinished }
        // It starts on the same thread: the first call of `start` has had its effects by then.
        manager.download(try #require(URL(string: "http://host.test/next")))
        try await transport.started.wait(until: { $0 == 3 })
        #expect(Set(transport.cancelled.value) == [2])
    }

    @Test func aDeletionAtAnyMomentOfAStartLeavesNothing() async throws {
        let bytes = TestBytes.random(count: 20_000)
        let server = try TestServer { .file(bytes, for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = 8 }
        var random = SeededRandom(seed: 1)
        for round in 0..<30 {
            for number in 0..<100 {
                let url = server.url("/\(number)")
                let download = test.manager.download(url)
                // From before the start to after the end.
                spin(random.below(400))
                if number % 2 == 0 {
                    download.cancel()
                    spin(random.below(50))
                }
                try test.manager.delete(url)
            }
            try await eventually("all attempts are over") { test.manager.table.withLock { $0.holders.count == 0 } }
            #expect(test.names == [], "round \(round)")
        }
    }

    /// Keeps the processor for this many microseconds: a sleep takes longer than an attempt takes to start.
    private func spin(_ microseconds: Int) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end {}
    }
}

/// A transport whose first transfer is redirected at once, on another thread. The second is silent.
private final class RedirectingTransport: Transport {
    let started = Watched(0)
    let cancelled = Watched<[Int]>([])
    private let isLate: Bool

    init(isLate: Bool) { self.isLate = isLate }

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let number = started.update { started in
            started += 1
            return started
        }
        if number == 1 {
            Thread {
                var head = ResponseHead(status: 302)
                head.fields.append(name: "Location", value: "/elsewhere")
                _ = sink.receive(head: head)
                sink.end(.complete)
            }.start()
            if isLate { while cancelled.value.isEmpty { usleep(1000) } }
        }
        return RedirectedTransfer(number: number, sink: sink, transport: self)
    }
}

private struct RedirectedTransfer: Transfer {
    let number: Int
    let sink: any TransportSink
    let transport: RedirectingTransport

    func cancel() {
        transport.cancelled.update { $0.append(number) }
        if number == 2 { Thread { sink.end(.cancelled) }.start() }
    }
}
