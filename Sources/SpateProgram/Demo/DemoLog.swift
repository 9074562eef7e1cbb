import Dispatch

/// All that the demo's server saw and did.
actor DemoLog: DemoWitness {
    private var entries: [DemoExchange] = []
    private var sending: Set<Int> = []
    private var mostAtOnce = 0
    private let executor = QueueExecutor(label: "spate.demo.log")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// All requests, in their order.
    nonisolated var exchanges: [DemoExchange] { now { $0.entries } }

    /// How many answers were being sent at the same time, at the most.
    nonisolated var peak: Int { now { $0.mostAtOnce } }

    nonisolated func exchanges(of file: DemoFile) -> [DemoExchange] { exchanges.filter { $0.name == file.name } }

    nonisolated func begin(_ request: DemoRequest) -> (number: Int, visit: Int) {
        now { log in
            log.entries.append(DemoExchange(request))
            let number = log.entries.count - 1
            log.sending.insert(number)
            log.mostAtOnce = max(log.mostAtOnce, log.sending.count)
            return (number, log.entries.count { $0.name == request.name })
        }
    }

    nonisolated func answer(_ number: Int, with reply: DemoReply) {
        now { $0.entries[number].status = reply.status }
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
