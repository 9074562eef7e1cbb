import Testing

@testable import SpateHTTPTransport

/// What a transfer does with its head, pieces, refusals and silence, without a network.
@Suite struct TransferMachineTests {
    typealias Step = (event: TransferMachine.Event, action: TransferMachine.Action)

    private static let start = Duration.seconds(3)
    private static let stallTimeout = Duration.seconds(40)

    private var machine = TransferMachine(
        TransportSettings(connectTimeout: .seconds(80), stallTimeout: stallTimeout),
        now: start
    )

    @discardableResult
    private mutating func feed(
        _ event: TransferMachine.Event,
        at time: Duration = .zero
    ) -> TransferMachine.Action {
        machine.handle(event, now: Self.start + time)
    }

    private mutating func failure(at time: Duration, connecting: Duration? = .zero) -> TransportError.Kind? {
        machine.failure(now: Self.start + time, turnBegan: Self.start + time, connecting: connecting)?.kind
    }

    /// Nine bytes of which so many were delivered before a pause.
    private static func paused(after count: Int) -> [Step] {
        [(.head(.deliver), .proceed), (.piece(9), .deliver(0..<9)), (.limited(count), .pause), (.turn, .unpause)]
    }

    @Test(
        arguments: [
            // What is wanted is delivered.
            ([(.head(.deliver), .proceed), (.piece(9), .deliver(0..<9)), (.piece(5), .deliver(0..<5))], nil),
            ([(.head(.deliver), .proceed), (.piece(9), .deliver(0..<9)), (.refused, .end)], "stopped"),
            ([(.head(.deliver), .proceed), (.piece(9), .deliver(0..<9)), (.multiplexed, .end)], "needsHTTP1"),
            // After a pause, what had been delivered of the piece is not delivered again, in however many pieces it comes.
            (paused(after: 6) + [(.piece(9), .deliver(6..<9)), (.piece(9), .deliver(0..<9))], nil),
            (paused(after: 6) + [(.piece(4), .deliver(4..<4)), (.piece(5), .deliver(2..<5))], nil),
            (
                paused(after: 2)
                    + [(.piece(9), .deliver(2..<9)), (.limited(3), .pause), (.piece(9), .pause), (.refused, .end)],
                "stopped"
            ),
            // What is not wanted is read, if it is short.
            ([(.head(.discard), .proceed), (.piece(65_536), .proceed)], nil),
            ([(.head(.discard), .proceed), (.piece(65_536), .proceed), (.piece(1), .end)], "stopped"),
            ([(.head(.stop), .end)], "stopped"),
            // Bytes without a final head, as after a 101, are nobody's.
            ([(.piece(65_000), .proceed), (.piece(1_000), .end)], "stopped"),
            // Nothing follows the end.
            ([(.head(.stop), .end), (.piece(1), .end), (.turn, .proceed)], "stopped"),
            ([(.head(.deliver), .proceed), (.multiplexed, .end), (.piece(1), .end), (.refused, .end)], "needsHTTP1"),
        ] as [([Step], String?)]
    )
    mutating func eachEventHasItsAction(steps: [Step], end: String?) {
        var time = Duration.zero
        for (index, step) in steps.enumerated() {
            time += RateShare.pause
            #expect(feed(step.event, at: time) == step.action, "step \(index)")
        }
        #expect(machine.end.map { "\($0)" } == end)
    }

    @Test mutating func aPauseLastsItsTime() {
        feed(.head(.deliver))
        feed(.limited(0))
        #expect(machine.nextDeadline == Self.start + RateShare.pause)
        #expect(feed(.turn, at: RateShare.pause - .nanoseconds(1)) == .proceed)
        #expect(feed(.turn, at: RateShare.pause) == .unpause)
        #expect(feed(.turn, at: RateShare.pause) == .proceed)
        #expect(machine.nextDeadline == Self.start + RateShare.pause + Self.stallTimeout)
    }

    @Test(arguments: [nil, .deliver, .discard] as [BodyDisposition?])
    mutating func silenceIsAFailure(after disposition: BodyDisposition?) {
        if let disposition { feed(.head(disposition), at: .seconds(2)) }
        let limit = disposition.map { $0 == .discard ? .seconds(7) : .seconds(42) } ?? Self.stallTimeout
        #expect(machine.nextDeadline == Self.start + limit)
        #expect(failure(at: limit - .nanoseconds(1)) == nil)
        #expect(failure(at: limit) == (disposition == nil ? .headTimeout : .stalled))
    }

    @Test mutating func bytesEndTheSilence() {
        feed(.head(.deliver))
        feed(.piece(9), at: .seconds(30))
        #expect(failure(at: .seconds(40)) == .stalled, "None of them were the body's.")
        _ = machine.count(9, now: Self.start + .seconds(30))
        #expect(failure(at: .seconds(69)) == nil)
        #expect(failure(at: .seconds(70)) == .stalled)
    }

    @Test mutating func waitingForARateIsNoSilence() {
        feed(.head(.deliver))
        feed(.limited(0), at: .seconds(39))
        #expect(failure(at: .seconds(100)) == nil)
        feed(.turn, at: .seconds(100))
        #expect(failure(at: .seconds(139)) == nil)
        #expect(failure(at: .seconds(140)) == .stalled)
    }

    /// What a slow disk kept the loop from reading may be there.
    @Test mutating func silenceIsCertainOnlyUpToTheBeginningOfTheTurn() {
        let (began, now) = (Self.start + .seconds(39), Self.start + .seconds(90))
        #expect(machine.failure(now: now, turnBegan: began, connecting: .zero) == nil)
    }

    @Test mutating func connectingIsNoSilence() {
        #expect(failure(at: .seconds(40), connecting: nil) == nil)
        #expect(machine.nextDeadline == Self.start + .seconds(50))
        #expect(failure(at: .seconds(50), connecting: .seconds(45)) == nil)
        #expect(failure(at: .seconds(84), connecting: .seconds(45)) == nil)
        #expect(failure(at: .seconds(85), connecting: .seconds(45)) == .headTimeout)
    }

    /// It may wait for another transfer's connection, which libcurl does not limit.
    @Test mutating func withoutAConnectionItEndsAQuarterAfterTheLimit() {
        let deadline = Duration.seconds(100)
        #expect(failure(at: deadline - .nanoseconds(1), connecting: nil) == nil)
        #expect(machine.nextDeadline == Self.start + deadline)
        var connected = self
        #expect(connected.failure(at: deadline, connecting: deadline) == nil)
        #expect(connected.machine.nextDeadline > Self.start + deadline)
        #expect(failure(at: deadline, connecting: nil) == .connectTimeout)
    }

    @Test mutating func aBodyBecomesLargeOnce() {
        feed(.head(.deliver))
        #expect(!machine.count(RecentSizes.large - 1, now: Self.start) && !machine.isLarge)
        #expect(machine.count(1, now: Self.start) && machine.isLarge)
        #expect(!machine.count(1, now: Self.start) && machine.isLarge)
    }
}
