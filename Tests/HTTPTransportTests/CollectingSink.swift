import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTestSupport

/// A sink that stores what it receives.
final class CollectingSink: TransportSink {
    struct Contents {
        var head: ResponseHead?
        var body: [UInt8] = []
        var blockSizes: [Int] = []
        var areLast: [Bool] = []
        var ends: [TransferEnd] = []
    }

    private let contents = Watched(Contents())
    private let disposition: BodyDisposition
    private let onBytes: @Sendable (Int) -> Bool

    /// - Parameter onBytes: Receives each block's size. Returns whether to continue.
    init(_ disposition: BodyDisposition = .deliver, onBytes: @escaping @Sendable (Int) -> Bool = { _ in true }) {
        self.disposition = disposition
        self.onBytes = onBytes
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        contents.update { $0.head = head }
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        contents.update { contents in
            contents.body.append(contentsOf: bytes)
            contents.blockSizes.append(bytes.count)
            contents.areLast.append(isLast)
        }
        return onBytes(bytes.count)
    }

    func end(_ end: TransferEnd) {
        contents.update { $0.ends.append(end) }
    }

    var value: Contents { contents.value }

    /// The contents after the end.
    func ended(within limit: Duration = .seconds(60)) async throws -> Contents {
        try await contents.wait(until: { !$0.ends.isEmpty }, within: limit)
        return contents.value
    }

    /// Waits until `count` bytes have arrived.
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

extension TransportRequest {
    convenience init(
        _ url: URL,
        credentials: Credentials? = nil,
        fields: [(name: String, value: String)] = [],
        rangeStart: Int64? = nil,
        isOneOfMany: Bool = false,
        closesIdleConnections: Bool = false,
        rate: RateShare? = nil,
        arrivals: ArrivalCount? = nil,
        address: String? = nil,
        knownAddresses: [String] = [],
        settings: TransportSettings = .patient()
    ) throws {
        self.init(
            url: try HTTPURL(url.absoluteString),
            credentials: credentials,
            fields: fields,
            rangeStart: rangeStart,
            isOneOfMany: isOneOfMany,
            closesIdleConnections: closesIdleConnections,
            rate: rate,
            arrivals: arrivals,
            address: address,
            knownAddresses: knownAddresses,
            settings: settings
        )
    }
}

extension TransportSettings {
    /// With limits that no busy machine exceeds.
    static func patient(
        trusting authorities: String? = nil,
        showing certificate: CertificateFiles? = nil
    ) -> TransportSettings {
        TransportSettings(
            stallTimeout: .seconds(120),
            certificateAuthorities: authorities,
            clientCertificate: certificate
        )
    }
}

extension CurlTransport {
    /// Runs one transfer to its end.
    func fetch(
        _ request: TransportRequest,
        into sink: CollectingSink = CollectingSink()
    ) async throws -> CollectingSink.Contents {
        start(request, sink: sink)
        return try await sink.ended()
    }
}
