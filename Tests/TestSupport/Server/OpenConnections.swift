import Foundation

/// The connections of a server and the threads that serve them: how many there may be, and how they all end.
final class OpenConnections: Sendable {
    /// A thread serves one connection; clients beyond this number wait to be accepted.
    private static let most = 300

    private let condition = NSCondition()
    private nonisolated(unsafe) var connections: [Int: any Connection] = [:]
    private nonisolated(unsafe) var threadCount = 0
    private nonisolated(unsafe) var threads: Set<pthread_t> = []
    private nonisolated(unsafe) var isStopped = false

    /// Runs `body` on a thread of its own, unless the server was stopped.
    func startThread(_ body: @escaping @Sendable () -> Void) {
        let mayStart = locked {
            if !isStopped { threadCount += 1 }
            return !isStopped
        }
        guard mayStart else { return }
        let thread = Thread { [self] in
            locked { _ = threads.insert(pthread_self()) }
            body()
            locked {
                threads.remove(pthread_self())
                threadCount -= 1
                condition.broadcast()
            }
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Waits until another connection may be served. Returns false when the server was stopped.
    func waitForRoom() -> Bool {
        locked {
            while connections.count >= Self.most, !isStopped { condition.wait() }
            return !isStopped
        }
    }

    /// Serves a connection on a thread of its own, and ends it at once if the server was stopped.
    func serve(_ connection: any Connection, number: Int, _ body: @escaping @Sendable () -> Void) {
        let mayStart = locked {
            if !isStopped { connections[number] = connection }
            return !isStopped
        }
        guard mayStart else { return connection.reset() }
        startThread { [self] in
            body()
            locked {
                connections[number] = nil
                condition.broadcast()
            }
        }
    }

    /// How many connections no side has ended: a thread may not know yet that its client has gone.
    var count: Int { locked { connections.values.count { !$0.peerHasLeft } } }

    /// Ends every connection there is now; new ones may come.
    func shutDownAll() {
        for connection in locked({ Array(connections.values) }) { connection.shutDown() }
    }

    /// Ends every connection, and returns when all threads except the caller's have ended.
    func stop() {
        locked { isStopped = true }
        shutDownAll()
        locked {
            condition.broadcast()
            let own = threads.contains(pthread_self()) ? 1 : 0
            while threadCount > own { condition.wait() }
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
