/// The rules of one transfer, without libcurl, a sink or a clock. Turns events into actions.
struct TransferMachine {
    typealias Time = LoopClock.Time

    enum Event {
        /// The final head has arrived. The sink wants this of its body.
        case head(BodyDisposition)
        /// A piece with this many bytes has arrived.
        case piece(Int)
        /// The rate limit allows only this many bytes of the piece.
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
        /// Deliver these bytes of the piece. Earlier bytes of it were delivered already.
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
        /// The body is delivered, except for this many bytes at the start of the next piece.
        case body(known: Int)
        /// The same, while the transfer waits for its share of a rate.
        case paused(known: Int, until: Time)
        /// The body is read and discarded. So far, this many bytes were.
        case discarding(Int, until: Time)
        case stopped
        case needsHTTP1
    }

    /// How much of an unwanted body to read so that the connection can be reused.
    private static let discardLimit = 64 * 1024
    /// How long to read an unwanted body. After that, a new connection is cheaper.
    private static let discardTime: Duration = .seconds(5)

    private var phase = Phase.head
    /// How many bytes of the body have been delivered.
    private var received = 0
    private let start: Time
    /// When the peer last showed activity: the start, the head, or a byte of the body.
    private var lastActivity: Time
    private let settings: TransportSettings
    /// When to give up if there is no connection. `nil` once there is one.
    private var connectDeadline: Time?

    init(_ settings: TransportSettings, now: Time) {
        self.settings = settings
        connectDeadline = now + settings.connectLimit
        start = now
        lastActivity = now
    }

    /// All transitions of the phase.
    mutating func handle(_ event: Event, now: Time) -> Action {
        switch (phase, event) {
        case (.head, .head(.deliver)):
            connectDeadline = nil
            lastActivity = now
            phase = .body(known: 0)
            return .proceed
        case (.head, .head(.discard)):
            lastActivity = now
            phase = .discarding(0, until: now + Self.discardTime)
            return .proceed
        case (.head, .piece(let count)):
            // After a 101, to a protocol that nobody requested. No final head follows.
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

    /// Counts delivered bytes of the body. Returns whether they make it a large one.
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

    /// How the transfer ends, if libcurl's result does not decide it.
    var end: TransferEnd? {
        switch phase {
        case .stopped: .stopped
        case .needsHTTP1: .needsHTTP1
        case .head, .body, .paused, .discarding: nil
        }
    }

    // MARK: Time

    /// When something changes by time alone.
    var nextDeadline: Time {
        switch phase {
        case .paused(_, let end): end
        case .discarding(_, let deadline): min(deadline, silenceDeadline)
        case .head: min(connectDeadline ?? silenceDeadline, silenceDeadline)
        case .body, .stopped, .needsHTTP1: silenceDeadline
        }
    }

    private var silenceDeadline: Time { lastActivity + settings.stallTimeout }

    /// Why the transfer fails now, if the peer takes too long.
    ///
    /// - Parameters:
    ///   - turnBegan: Silence is certain up to this time. Bytes that arrived while a slow disk or other transfers
    ///     blocked the loop are read in the next turn.
    ///   - connecting: How long connecting took; `nil` if there is no connection yet.
    mutating func failure(
        now: Time,
        turnBegan: Time,
        connecting: @autoclosure () -> Duration?
    ) -> TransportError? {
        if case .discarding(_, let deadline) = phase, now >= deadline {
            return TransportError(.stalled, detail: "the unwanted body did not end within \(Self.discardTime)")
        }
        if case .head = phase, let deadline = connectDeadline, turnBegan >= deadline {
            guard connecting() != nil else {
                return TransportError(.connectTimeout, detail: "no connection within \(settings.connectTimeout)")
            }
            connectDeadline = nil
        }
        guard turnBegan >= silenceDeadline else { return nil }
        switch phase {
        case .head:
            guard let duration = connecting() else {
                // Connecting has its own limit. Check again after a quarter of this limit.
                lastActivity = turnBegan - settings.stallTimeout * 3 / 4
                return nil
            }
            lastActivity = max(lastActivity, start + duration)
            guard turnBegan >= silenceDeadline else { return nil }
            return TransportError(.headTimeout, detail: "no complete response head within \(settings.stallTimeout)")
        case .body, .discarding: return TransportError(.stalled, detail: "no byte within \(settings.stallTimeout)")
        case .paused, .stopped, .needsHTTP1: return nil
        }
    }
}
