import HTTPResumption
import HTTPTransport
import TestSupport

/// Transfers each of which is started when the one before tells its end, as early as can be: within that call.
final class TransferChain: TransportSink {
    private struct Progress {
        var started = 0
        /// How many were complete; set when the last has ended.
        var complete = 0
        var isOver = false
    }

    private let request: TransportRequest
    private let length: Int
    private let transport: CurlTransport
    private let progress = Watched(Progress())

    init(of request: TransportRequest, length: Int, on transport: CurlTransport) {
        self.request = request
        self.length = length
        self.transport = transport
    }

    func startNext() {
        progress.update { $0.started += 1 }
        transport.start(request, sink: self)
    }

    /// How many were complete, when the last has ended.
    func ended() async throws -> Int {
        try await progress.wait(until: { $0.isOver }, within: .seconds(60))
        return progress.value.complete
    }

    func receive(head: ResponseHead) -> BodyDisposition { .deliver }

    func receive(bytes: UnsafeRawBufferPointer) -> Bool { true }

    func end(_ end: TransferEnd) {
        let goesOn = progress.update { progress in
            if case .complete = end { progress.complete += 1 }
            progress.isOver = progress.started == length
            return !progress.isOver
        }
        if goesOn { startNext() }
    }
}
