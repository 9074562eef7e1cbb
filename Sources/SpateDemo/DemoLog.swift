import Dispatch
import SpateConsole

/// Observes the demo's server. Called from the server's threads; must not block.
protocol DemoServerObserver: Sendable {
    /// A request has arrived. Returns its number, and the count of requests for its file so far.
    func begin(_ request: DemoRequest) -> (number: Int, visit: Int)

    func answer(_ number: Int, with reply: DemoReply)

    /// This much of the body has been sent, and more follows.
    func advance(_ number: Int, sent: Int)

    /// These are the last bytes. `end` is `nil` if it is not known yet; then this is called again.
    ///
    /// Called before the last bytes are sent, because the client may make its next request at once.
    func finish(_ number: Int, sent: Int, end: DemoExchange.End?)
}

/// A request and its response, as the server saw them.
struct DemoExchange: Sendable, Equatable {
    enum End: Sendable, Equatable {
        case whole, cut, reset, clientLeft
    }

    var name: String
    var path: String
    /// The start of the requested range. `nil` if the whole file was requested.
    var start: Int?
    var ifRange: String?
    var status = 0
    /// Bytes of the body that were sent.
    var sent = 0
    /// `nil` while the response is being sent.
    var end: End?
    var began: ContinuousClock.Instant

    init(_ request: DemoRequest, began: ContinuousClock.Instant = .now) {
        name = request.name
        path = request.path
        start = request.rangeStart
        ifRange = request.ifRange
        self.began = began
    }
}

/// Records all exchanges, for the demo's proof.
actor DemoLog: DemoServerObserver {
    private var entries: [DemoExchange] = []
    private var sending: Set<Int> = []
    private var mostAtOnce = 0
    private var mostConnections: [String: Int] = [:]
    private var sizes: [String: Int] = [:]
    private let executor = QueueExecutor(label: "spate.demo.log")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// All exchanges, in order.
    nonisolated var exchanges: [DemoExchange] { now { $0.entries } }

    /// The highest number of files that were sent at the same time.
    nonisolated var peak: Int { now { $0.mostAtOnce } }

    /// The highest number of connections that each file had at the same time.
    nonisolated var connections: [String: Int] { now { $0.mostConnections } }

    nonisolated func exchanges(of file: DemoFile) -> [DemoExchange] { exchanges.filter { $0.name == file.name } }

    nonisolated func begin(_ request: DemoRequest) -> (number: Int, visit: Int) {
        now { log in
            log.entries.append(DemoExchange(request))
            let number = log.entries.count - 1
            log.sending.insert(number)
            let names = log.sending.map { log.entries[$0].name }
            log.mostAtOnce = max(log.mostAtOnce, Set(names).subtracting(log.completeOverSeveral).count)
            let connections = names.count { $0 == request.name }
            log.mostConnections[request.name] = max(log.mostConnections[request.name] ?? 0, connections)
            return (number, log.entries.count { $0.name == request.name })
        }
    }

    /// Complete files with several connections. The client has closed the connections that it no longer needs, but the
    /// server may see that a little later.
    private var completeOverSeveral: Set<String> {
        let names = mostConnections.filter { $0.value > 1 }.keys
        return Set(
            names.filter { name in
                entries.reduce(0) { $0 + ($1.name == name ? $1.sent : 0) } >= sizes[name] ?? .max
            }
        )
    }

    nonisolated func answer(_ number: Int, with reply: DemoReply) {
        now { log in
            log.entries[number].status = reply.status
            log.sizes[log.entries[number].name] = reply.content.size
        }
    }

    nonisolated func advance(_ number: Int, sent: Int) {
        now { $0.entries[number].sent = sent }
    }

    nonisolated func finish(_ number: Int, sent: Int, end: DemoExchange.End?) {
        now { log in
            log.sending.remove(number)
            log.entries[number].sent = sent
            log.entries[number].end = end
        }
    }

    private nonisolated func now<Result: Sendable>(_ body: @Sendable (isolated DemoLog) -> Result) -> Result {
        executor.queue.sync { assumeIsolated { body($0) } }
    }
}

/// Counts the requests for each file, for `--serve`. When a file has been sent completely, its scenario starts over.
actor DemoVisits: DemoServerObserver {
    private struct Answer {
        let name: String
        /// Whether it completes the file.
        var isLast = false
    }

    /// By file name. Requests for other names are not counted.
    private var visits: [String: Int]
    private var answers: [Int: Answer] = [:]
    private var lastNumber = 0
    private var lastChange = ContinuousClock.now
    private let executor = QueueExecutor(label: "spate.demo.visits")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(files: [DemoFile]) {
        visits = Dictionary(files.map { ($0.name, 0) }) { first, _ in first }
    }

    /// When traffic stopped; the current time if there is traffic.
    nonisolated var quietSince: ContinuousClock.Instant { now { $0.answers.isEmpty ? $0.lastChange : .now } }

    nonisolated func begin(_ request: DemoRequest) -> (number: Int, visit: Int) {
        now { visits in
            visits.lastNumber += 1
            visits.answers[visits.lastNumber] = Answer(name: request.name)
            let visit = (visits.visits[request.name] ?? 0) + 1
            if visits.visits[request.name] != nil { visits.visits[request.name] = visit }
            return (visits.lastNumber, visit)
        }
    }

    nonisolated func answer(_ number: Int, with reply: DemoReply) {
        let isLast = reply.status / 100 == 2 && reply.ending == .whole && reply.body.upperBound == reply.content.size
        now { $0.answers[number]?.isLast = isLast }
    }

    nonisolated func advance(_ number: Int, sent: Int) {}

    nonisolated func finish(_ number: Int, sent: Int, end: DemoExchange.End?) {
        now { visits in
            guard let end, let answer = visits.answers.removeValue(forKey: number) else { return }
            visits.lastChange = .now
            if end == .whole, answer.isLast, visits.visits[answer.name] != nil { visits.visits[answer.name] = 0 }
        }
    }

    private nonisolated func now<Result: Sendable>(_ body: @Sendable (isolated DemoVisits) -> Result) -> Result {
        executor.queue.sync { assumeIsolated { body($0) } }
    }
}
