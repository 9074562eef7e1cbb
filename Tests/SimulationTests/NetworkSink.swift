import SpateHTTPSyntax
import SpateHTTPTransport
import SpateSimulation
import Testing

/// Takes down what one transfer sends, and whether it keeps to the contract.
final class NetworkSink: TransportSink, @unchecked Sendable {
    private(set) var heads: [ResponseHead] = []
    private(set) var body: [UInt8] = []
    private(set) var ends: [TransferEnd] = []
    private(set) var lastFlags: [Bool] = []
    /// What was against the contract.
    private(set) var faults: [String] = []
    var disposition = BodyDisposition.deliver
    /// After how many bytes it wants no more.
    var limit = Int.max
    /// Set while the transport must not call.
    var isStarting = false
    private var isInside = false
    private var mayGoOn = true

    private func called(_ what: String, _ isAllowed: Bool) {
        if isStarting { faults.append("\(what) within the start") }
        if isInside { faults.append("\(what) within another call") }
        if !isAllowed || !ends.isEmpty { faults.append("\(what) out of order") }
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        called("head", heads.isEmpty && body.isEmpty)
        heads.append(head)
        mayGoOn = disposition.delivers
        return disposition
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        called("bytes", heads.count == 1 && mayGoOn && !bytes.isEmpty && lastFlags.last != true)
        if bytes.count > 256 * 1_024 { faults.append("a block of \(bytes.count)") }
        body += bytes
        lastFlags.append(isLast)
        mayGoOn = body.count < limit
        return mayGoOn
    }

    func end(_ end: TransferEnd) {
        called("end", true)
        ends.append(end)
        if lastFlags.last == true, !isComplete { faults.append("a last block without completion") }
    }

    var isComplete: Bool { if case .complete = ends.last { true } else { false } }
    var isStopped: Bool { if case .stopped = ends.last { true } else { false } }
    var isCancelled: Bool { if case .cancelled = ends.last { true } else { false } }
    var error: TransportError? { if case .failed(let error) = ends.last { error } else { nil } }
}

extension BodyDisposition {
    fileprivate var delivers: Bool { if case .deliver = self { true } else { false } }
}

/// A network with one process.
struct NetworkWorld {
    let timeline: Timeline
    let network: SimulatedNetwork
    let process: SimulatedProcess

    init(_ seed: UInt64, forbidden: Set<NetworkFault> = NetworkFault.dishonest) {
        timeline = Timeline(seed: seed)
        network = SimulatedNetwork(on: timeline, forbidden: forbidden)
        process = SimulatedProcess(100, on: timeline)
    }

    /// A file with these faults on a host without any.
    func file(_ faults: [NetworkFault] = [], isSecure: Bool = false) -> SimulatedFile {
        let host = SimulatedHost("host.example", isSecure: isSecure, faults: [], random: timeline.random.fork())
        network.add(host)
        return network.addFile("file.bin", on: host, faults: faults)
    }

    @discardableResult
    func start(
        _ url: String,
        range: Range<Int64>? = nil,
        fields: [(name: String, value: String)] = [],
        rate: RateShare? = nil,
        sink: NetworkSink
    ) throws -> any Transfer {
        let request = TransportRequest(
            url: try HTTPURL(url),
            fields: fields,
            rangeStart: range?.lowerBound,
            rangeEnd: range?.upperBound,
            rate: rate
        )
        sink.isStarting = true
        defer { sink.isStarting = false }
        return network.transport(for: process).start(request, sink: sink)
    }

    func run() {
        while timeline.step() {}
    }

    /// Fetches and returns what came.
    func fetch(
        _ url: String,
        range: Range<Int64>? = nil,
        fields: [(name: String, value: String)] = []
    ) throws -> NetworkSink {
        let sink = NetworkSink()
        try start(url, range: range, fields: fields, sink: sink)
        while sink.ends.isEmpty, timeline.step() {}
        return sink
    }
}
