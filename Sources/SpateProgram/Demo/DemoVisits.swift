import Dispatch

/// Counts the visits to each file for a server that programs are tried on, again and again: when a file has been sent to
/// its end, its story begins anew.
actor DemoVisits: DemoWitness {
    private struct Answer {
        let name: String
        /// Whether the file ends with it.
        var isLast = false
    }

    /// By the names of the files there are; what else is asked for is not counted.
    private var visits: [String: Int]
    private var answers: [Int: Answer] = [:]
    private var lastNumber = 0
    private var lastChange = ContinuousClock.now
    private let executor = QueueExecutor(label: "spate.demo.visits")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(files: [DemoFile]) {
        visits = Dictionary(files.map { ($0.name, 0) }) { first, _ in first }
    }

    /// Since when nothing is asked for nor sent; now, where something is.
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
