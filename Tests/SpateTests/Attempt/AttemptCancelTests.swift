import Foundation
import HTTPResumption
import HTTPTransport
import TestSupport
import Testing

@testable import Spate

@Suite struct AttemptCancelTests {
    @Test func aRedirectedAttemptCancelsTheTransferThatIsUnderWay() async throws {
        let transport = RedirectingTransport()
        let folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        let manager = DownloadManager(configuration: configuration, transport: transport)
        let download = manager.download(try #require(URL(string: "http://host.test/f")))
        try await transport.started.wait(until: { $0 == 2 })
        let operation = try #require(download.operation)
        download.cancel()
        try await eventually("the attempt is over") { operation.isFinished }
        #expect(transport.cancelled.value == [2])
    }
}

/// A transport whose first transfer is redirected at once, on another thread. The second is silent.
private final class RedirectingTransport: Transport {
    let started = Watched(0)
    let cancelled = Watched<[Int]>([])

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
        // The first has ended by then.
        if number == 2 { Thread { sink.end(.cancelled) }.start() }
    }
}
