import Foundation
import HTTPResumption
import HTTPTransport
import PartialFiles
import TestSupport
import Testing

@testable import Spate

@Suite struct AttemptCancelTests {
    @Test func aTransferThatEndedBeforeItsStartReturnedDoesNotHideItsSuccessor() async throws {
        let folder = try TemporaryFolder()
        let transport = HastyTransport()
        let url = try HTTPURL("http://host.test/f")
        let directory = DownloadDirectory(path: folder.path)
        let job = AttemptJob(
            url: url,
            request: DownloadRequest(URL(fileURLWithPath: "/f")),
            configuration: DownloadManager.Configuration(),
            transport: transport,
            disk: DispatchQueue(label: "test.disk"),
            openPlace: { .partial(try directory.open(for: url, naming: .derived).partial()) }
        )
        let observer = DeafObserver()
        let ended = Watched(0)
        let attempt = Attempt(id: 1, job: job, history: ResumeHistory(), observer: observer) {
            ended.update { $0 += 1 }
        }
        attempt.begin()
        #expect(transport.started.value == 2)
        attempt.cancel()
        try await ended.wait(for: "the attempt's end", until: { $0 == 1 })
        #expect(transport.cancelled.value == [2])
    }
}

/// A transport whose first transfer is redirected and has ended before its start returns. The second is silent.
private final class HastyTransport: Transport {
    let started = Watched(0)
    let cancelled = Watched<[Int]>([])

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let number = started.update { started in
            started += 1
            return started
        }
        if number == 1 {
            let isOver = DispatchSemaphore(value: 0)
            Thread {
                var head = ResponseHead(status: 302)
                head.fields.append(name: "Location", value: "/elsewhere")
                _ = sink.receive(head: head)
                sink.end(.complete)
                isOver.signal()
            }.start()
            isOver.wait()
        }
        return HastyTransfer(number: number, sink: sink, transport: self)
    }
}

private struct HastyTransfer: Transfer {
    let number: Int
    let sink: any TransportSink
    let transport: HastyTransport

    func cancel() {
        transport.cancelled.update { $0.append(number) }
        // The first has ended, and tells nothing twice.
        if number == 2 { DispatchQueue.global().async { sink.end(.cancelled) } }
    }
}

private final class DeafObserver: AttemptObserver {
    var isDeleted: Bool { false }

    func attempt(_ id: DownloadMachine.AttemptID, beganAt offset: Int64, total: Int64?) {}
    func attempt(_ id: DownloadMachine.AttemptID, advancedTo offset: Int64) {}
    func attempt(_ id: DownloadMachine.AttemptID, publish: () throws -> AttemptResult) throws -> AttemptResult? { nil }
    func attempt(_ id: DownloadMachine.AttemptID, endedWith failure: AttemptFailure, history: ResumeHistory) {}
}

extension DownloadDirectory.Opening {
    fileprivate func partial() throws -> PartialFile {
        guard case .partial(let file) = self else { throw CocoaError(.fileReadUnknown) }
        return file
    }
}
