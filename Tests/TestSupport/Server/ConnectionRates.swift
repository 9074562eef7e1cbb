import SpateLocking

/// Token bucket: how fast one connection may send, over all its replies.
///
/// Its depth is 20 ms: a thread that wakes up late catches up, and a connection that was idle saves up no more.
final class TokenBucket: Sendable {
    private static let depth = Duration.milliseconds(20)

    /// How much is sent at a time: what the rate gives in 10 ms, or 32 KiB. With more, what is on its way in the machine
    /// would be much.
    var pieceBytes: Int { max(1, min(bytesPerSecond() / 100, 32_768)) }
    private let bytesPerSecond: @Sendable () -> Int
    private let next = Locked(ContinuousClock.now)

    init(bytesPerSecond: @escaping @Sendable () -> Int) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// Pays for bytes that were sent, and returns when the next ones may go.
    func pay(for count: Int) -> ContinuousClock.Instant {
        let bytesPerSecond = bytesPerSecond()
        precondition(bytesPerSecond > 0, "a rate is above zero")
        return next.withLock { next in
            next = max(next, .now - Self.depth) + .seconds(Double(count) / Double(bytesPerSecond))
            return next
        }
    }
}

/// The rate of each connection of a server.
package final class ConnectionRates: Sendable {
    private let bytesPerSecond: @Sendable (_ connection: Int) -> Int
    private let buckets = Locked<[Int: TokenBucket]>([:])

    /// - Parameter bytesPerSecond: the rate of a connection, asked for before each piece; the server's first one has the
    ///   number 1.
    package init(bytesPerSecond: @escaping @Sendable (_ connection: Int) -> Int) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// Each connection has the same rate.
    package convenience init(bytesPerSecond: Int) {
        self.init { _ in bytesPerSecond }
    }

    func bucket(of connection: Int) -> TokenBucket {
        buckets.withLock { buckets in
            if let bucket = buckets[connection] { return bucket }
            let bucket = TokenBucket { [bytesPerSecond] in bytesPerSecond(connection) }
            buckets[connection] = bucket
            return bucket
        }
    }
}

extension Reply {
    /// Sends the body at the rate of the connection that the request came on.
    package func paced(by rates: ConnectionRates, for request: ReceivedRequest) -> Reply {
        let bucket = rates.bucket(of: request.connection)
        return changing { reply in
            reply.pace = Pace(bytes: bucket.pieceBytes, interval: .zero, appliesToHead: false, bucket: bucket)
        }
    }
}
