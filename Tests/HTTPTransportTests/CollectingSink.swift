import HTTPResumption
import HTTPTransport
import TestSupport

/// A sink that keeps what it hears.
final class CollectingSink: TransportSink {
    struct Contents {
        var head: ResponseHead?
        var body: [UInt8] = []
        var blockSizes: [Int] = []
        var ends: [TransferEnd] = []
        var endedAt: ContinuousClock.Instant?
    }

    private let contents = Watched(Contents())
    private let disposition: BodyDisposition
    private let onBytes: @Sendable (Int) -> Bool

    /// - Parameter onBytes: gets each block's size and tells whether more are wanted.
    init(_ disposition: BodyDisposition = .deliver, onBytes: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        self.disposition = disposition
        self.onBytes = onBytes
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        contents.update { $0.head = head }
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer) -> Bool {
        contents.update { contents in
            contents.body.append(contentsOf: bytes)
            contents.blockSizes.append(bytes.count)
        }
        return onBytes(bytes.count)
    }

    func end(_ end: TransferEnd) {
        contents.update { contents in
            contents.ends.append(end)
            contents.endedAt = .now
        }
    }

    var value: Contents { contents.value }

    /// The contents once the end has been told.
    func ended(within limit: Duration = .seconds(60)) async throws -> Contents {
        try await contents.wait(until: { !$0.ends.isEmpty }, within: limit)
        return contents.value
    }

    /// Waits until so many bytes have come.
    func received(_ count: Int) async throws {
        try await contents.wait(until: { $0.body.count >= count }, within: .seconds(60))
    }
}

extension CollectingSink.Contents {
    var error: TransportError? {
        if case .failed(let error) = ends.first { error } else { nil }
    }

    var isComplete: Bool {
        if case .complete = ends.first { true } else { false }
    }

    var isCancelled: Bool {
        if case .cancelled = ends.first { true } else { false }
    }

    var isStopped: Bool {
        if case .stopped = ends.first { true } else { false }
    }
}
