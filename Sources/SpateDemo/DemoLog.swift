import Dispatch
import SpateConsole

/// A request and its response, as the server saw them.
struct DemoExchange: Sendable, Equatable {
    /// How a response ends.
    enum End: Sendable, Equatable {
        case whole
        /// The connection is closed early.
        case cut
        /// The connection is reset early.
        case reset
        /// The client leaves. A reply that is to end so sends nothing more, and waits for that.
        case clientLeft
    }

    var name: String
    var path: String
    /// The start of the requested range. `nil` if the whole file was requested.
    var start: Int?
    var ifRange: String?
    var status = 0
    /// Bytes of the body that were sent.
    var sent = 0
    /// Whether the response completes the file.
    var isLast = false
    /// `nil` while the response is being sent.
    var end: End?
    let began = ContinuousClock.now

    init(_ request: DemoRequest) {
        name = request.name
        path = request.path
        start = request.rangeStart
        ifRange = request.ifRange
    }
}

/// Records the exchanges of the demo's server, for the demo's proof. The server's threads call it.
actor DemoLog: QueueActor {
    /// By number.
    private var entries: [Int: DemoExchange] = [:]
    private var lastNumber = 0
    /// The requests for each file so far.
    private var visits: [String: Int]
    private let startsOver: Bool
    private var lastChange = ContinuousClock.now
    private var sending: Set<Int> = []
    private var mostAtOnce = 0
    private var mostConnections: [String: Int] = [:]
    private var sizes: [String: Int] = [:]
    nonisolated let executor = QueueExecutor(label: "spate.demo.log")

    /// - Parameters:
    ///   - files: requests for other names are not counted.
    ///   - startsOver: whether a file's scenario starts over when it has been sent completely, for `--serve`. Then no
    ///     exchange is kept after its end.
    init(files: [DemoFile], startsOver: Bool = false) {
        visits = Dictionary(files.map { ($0.name, 0) }) { first, _ in first }
        self.startsOver = startsOver
    }

    /// All exchanges, in order.
    nonisolated var exchanges: [DemoExchange] { now { $0.entries.sorted { $0.key < $1.key }.map(\.value) } }

    /// The highest number of files that were sent at the same time.
    nonisolated var peak: Int { now { $0.mostAtOnce } }

    /// The highest number of connections that each file had at the same time.
    nonisolated var connections: [String: Int] { now { $0.mostConnections } }

    /// When traffic stopped, if scenarios start over; the current time if there is traffic.
    nonisolated var quietSince: ContinuousClock.Instant { now { $0.entries.isEmpty ? $0.lastChange : .now } }

    nonisolated func exchanges(of file: DemoFile) -> [DemoExchange] { exchanges.filter { $0.name == file.name } }

    /// A request has arrived. Returns its number, and the count of requests for its file so far.
    nonisolated func begin(_ request: DemoRequest) -> (number: Int, visit: Int) {
        now { log in
            log.lastNumber += 1
            log.entries[log.lastNumber] = DemoExchange(request)
            guard let visit = log.visits[request.name].map({ $0 + 1 }) else { return (log.lastNumber, 1) }
            log.visits[request.name] = visit
            log.sending.insert(log.lastNumber)
            let names = log.sending.compactMap { log.entries[$0]?.name }
            log.mostAtOnce = max(log.mostAtOnce, Set(names).subtracting(log.completeOverSeveral).count)
            let connections = names.count { $0 == request.name }
            log.mostConnections[request.name] = max(log.mostConnections[request.name] ?? 0, connections)
            return (log.lastNumber, visit)
        }
    }

    /// Complete files with several connections. The client has closed the connections that it no longer needs, but the
    /// server may see that a little later.
    private var completeOverSeveral: Set<String> {
        let names = mostConnections.filter { $0.value > 1 }.keys
        return Set(
            names.filter { name in
                entries.values.reduce(0) { $0 + ($1.name == name ? $1.sent : 0) } >= sizes[name] ?? .max
            }
        )
    }

    nonisolated func answer(_ number: Int, with reply: DemoReply) {
        let isLast = reply.status / 100 == 2 && reply.ending == .whole && reply.body.upperBound == reply.content.size
        now { log in
            guard let name = log.entries[number]?.name else { return }
            log.entries[number]?.status = reply.status
            log.entries[number]?.isLast = isLast
            if log.visits[name] != nil { log.sizes[name] = reply.content.size }
        }
    }

    /// This much of the body has been sent, and more follows.
    nonisolated func advance(_ number: Int, sent: Int) {
        now { $0.entries[number]?.sent = sent }
    }

    /// These are the last bytes. `end` is `nil` if it is not known yet; then this is called again.
    ///
    /// Called before the last bytes are sent, because the client may make its next request at once.
    nonisolated func finish(_ number: Int, sent: Int, end: DemoExchange.End?) {
        now { log in
            log.sending.remove(number)
            log.entries[number]?.sent = sent
            log.entries[number]?.end = end
            guard log.startsOver, let end, let entry = log.entries.removeValue(forKey: number) else { return }
            log.lastChange = .now
            if end == .whole, entry.isLast, log.visits[entry.name] != nil { log.visits[entry.name] = 0 }
        }
    }
}
