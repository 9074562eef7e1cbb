import Dispatch

/// What the demo's server saw and did. Its threads write into it, and wait for nothing but each other.
actor DemoLog {
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

    /// Notes a request; the numbers are its own, and which visit to the file it is.
    nonisolated func begin(_ request: DemoRequest) -> (number: Int, visit: Int) {
        now { log in
            log.entries.append(DemoExchange(request))
            let number = log.entries.count - 1
            log.sending.insert(number)
            log.mostAtOnce = max(log.mostAtOnce, log.sending.count)
            return (number, log.entries.count { $0.name == request.name })
        }
    }

    nonisolated func answer(_ number: Int, status: Int) {
        now { $0.entries[number].status = status }
    }

    /// Nothing more is sent after this many bytes; the end may still be to come.
    ///
    /// To be told before the last of them leave: the client may be done with them, and ask again, at once.
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
