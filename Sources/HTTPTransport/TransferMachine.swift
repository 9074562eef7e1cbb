/// The rules of one transfer, without libcurl, a sink or a clock: an event goes in, and what to do comes out.
struct TransferMachine {
    typealias Time = ContinuousClock.Instant

    enum Event {
        /// The final head has come, and the sink wants this of its body.
        case head(BodyDisposition)
        /// A piece has come that has this many bytes.
        case piece(Int)
        /// The rate has no share left after this many bytes of the piece.
        case limited(Int)
        /// A rate is set, but other transfers share the connection.
        case multiplexed
        /// The sink wants no more.
        case refused
        /// The loop begins a turn.
        case turn
    }

    enum Action: Equatable {
        /// Do nothing more.
        case proceed
        /// Deliver these bytes of the piece. libcurl has passed those before them already.
        case deliver(Range<Int>)
        /// Let libcurl pass the piece again later.
        case pause
        /// End the pause.
        case unpause
        /// End the transfer and close its connection.
        case end
    }

    private enum Phase {
        case head
        /// The body is delivered, but for this many bytes at the start of the next piece.
        case body(known: Int)
        /// The same, while the transfer waits for its share of a rate.
        case paused(known: Int, until: Time)
        /// The body is read and discarded. This many bytes have been.
        case discarding(Int, until: Time)
        case stopped
        case needsHTTP1
    }

    /// How much of an unwanted body to read so that the connection can be reused.
    private static let discardLimit = 64 * 1024
    /// How long an unwanted body is read. After that a new connection costs less than waiting for its end.
    private static let discardTime: Duration = .seconds(5)

    private var phase = Phase.head
    /// How many bytes of the body have been delivered.
    private var received = 0
    private let start: Time
    /// When the peer last showed activity: the start, the head, or a byte of the body.
    private var lastActivity: Time
    private let stallTimeout: Duration

    init(stallTimeout: Duration, now: Time) {
        self.stallTimeout = stallTimeout
        start = now
        lastActivity = now
    }

    /// All transitions of the phase.
    mutating func handle(_ event: Event, now: Time) -> Action {
        switch (phase, event) {
        case (.head, .head(.deliver)):
            lastActivity = now
            phase = .body(known: 0)
            return .proceed
        case (.head, .head(.discard)):
            lastActivity = now
            phase = .discarding(0, until: now + Self.discardTime)
            return .proceed
        case (.head, .piece(let count)):
            // After a 101, which switches to a protocol that nobody asked for. No final head follows.
            lastActivity = now
            phase = .discarding(count, until: now + Self.discardTime)
            return .proceed
        case (.discarding(let before, _), .piece(let count)) where before + count > Self.discardLimit:
            phase = .stopped
            return .end
        case (.discarding(let before, let deadline), .piece(let count)):
            lastActivity = now
            phase = .discarding(before + count, until: deadline)
            return .proceed
        case (.body(let known), .piece(let count)):
            let repeated = min(known, count)
            phase = .body(known: known - repeated)
            return .deliver(repeated..<count)
        case (.body, .limited(let count)):
            phase = .paused(known: count, until: now + RateShare.pause)
            return .pause
        case (.body, .multiplexed):
            phase = .needsHTTP1
            return .end
        case (.paused, .piece): return .pause
        case (.paused(let known, let end), .turn) where now >= end:
            // While rate-limited we don't read, so silence proves nothing.
            lastActivity = now
            phase = .body(known: known)
            return .unpause
        case (.needsHTTP1, .refused): return .end
        case (_, .head(.stop)), (_, .refused):
            phase = .stopped
            return .end
        case (_, .turn): return .proceed
        case (_, .head), (_, .piece), (_, .limited), (_, .multiplexed): return .end
        }
    }

    /// Counts bytes of the body that are delivered. Returns whether they make it a large one.
    ///
    /// The bytes between and after chunks do not count as activity: they could trickle for months.
    mutating func count(_ bytes: Int, now: Time) -> Bool {
        let wasLarge = isLarge
        received += bytes
        lastActivity = now
        return isLarge != wasLarge
    }

    var isLarge: Bool { received >= RecentSizes.large }

    var isInHead: Bool { if case .head = phase { true } else { false } }

    var isStopped: Bool { if case .stopped = phase { true } else { false } }

    /// How the transfer ends, if not as libcurl says.
    var end: TransferEnd? {
        switch phase {
        case .stopped: .stopped
        case .needsHTTP1: .needsHTTP1
        case .head, .body, .paused, .discarding: nil
        }
    }

    // MARK: Time

    /// When time alone changes something.
    var nextDeadline: Time {
        switch phase {
        case .paused(_, let end): end
        case .discarding(_, let deadline): min(deadline, silenceDeadline)
        case .head, .body, .stopped, .needsHTTP1: silenceDeadline
        }
    }

    private var silenceDeadline: Time { lastActivity + stallTimeout }

    /// Why the transfer fails now, if the peer takes too long.
    ///
    /// - Parameters:
    ///   - turnBegan: Up to when silence is certain. Bytes that arrived while a slow disk or other transfers blocked the
    ///     loop are read in the next turn.
    ///   - connecting: How long the connection took to be made; `nil` while there is none.
    mutating func failure(
        now: Time,
        turnBegan: Time,
        connecting: @autoclosure () -> Duration?
    ) -> TransportError? {
        if case .discarding(_, let deadline) = phase, now >= deadline {
            return TransportError(.stalled, detail: "the unwanted body did not end within \(Self.discardTime)")
        }
        guard turnBegan >= silenceDeadline else { return nil }
        switch phase {
        case .head:
            guard let duration = connecting() else {
                // Connecting has its own limit. Check again after a quarter of this one.
                lastActivity = turnBegan - stallTimeout * 3 / 4
                return nil
            }
            lastActivity = max(lastActivity, start + duration)
            guard turnBegan >= silenceDeadline else { return nil }
            return TransportError(.headTimeout, detail: "no complete response head within \(stallTimeout)")
        case .body, .discarding: return TransportError(.stalled, detail: "no byte within \(stallTimeout)")
        case .paused, .stopped, .needsHTTP1: return nil
        }
    }
}
