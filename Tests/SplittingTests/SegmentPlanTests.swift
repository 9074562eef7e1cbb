import SpateHTTPResumption
import Testing

@testable import SpateSplitting

/// What the plan does at each event. How well it does is for the simulation.
@Suite struct SegmentPlanTests {
    private static let mebibyte: Int64 = 1 << 20

    private func opened(_ actions: [SegmentPlan.Action]) -> [Range<Int64>] {
        actions.compactMap { if case .open(_, let range) = $0 { range } else { nil } }
    }

    @Test(arguments: [(64, 8, 7), (64, 1, 0), (4, 8, 2), (2, 8, 0), (64, 100, 31)])
    func aNumberIsOpenedAtOnceAsFarAsEachGetsAMebibyte(mebibytes: Int64, count: Int, opens: Int) {
        var plan = SegmentPlan.begun(mebibytes: mebibytes, count: count)
        let ranges = opened(plan.tick(now: .milliseconds(100)))
        #expect(ranges.count == opens && plan.connectionCount == opens + 1)
        #expect(ranges.allSatisfy { $0.lowerBound % 65_536 == 0 })
        // Less than its share: whoever is done sooner gets more.
        let share = (mebibytes - 1) * Self.mebibyte / Int64(opens + 1)
        #expect(ranges.allSatisfy { $0.count >= min(share / 2, Self.mebibyte) && $0.count <= share })
        #expect(plan.tick(now: .milliseconds(200)).isEmpty)
    }

    /// It asks, and opens as many as it may.
    @Test(arguments: [
        (7, 5.0, SegmentPlan.Wish.Need.none, 0), (7, 0.1, .haste, 5), (64, 5, .more, 57), (64, 0.1, .more, 57),
    ])
    func automaticAsksForHelpWhereMuchIsLeftOrTheLastIsSlow(
        mebibytes: Int64,
        perTurn: Double,
        need: SegmentPlan.Wish.Need,
        left: Int64
    ) {
        var plan = SegmentPlan.begun(mebibytes: mebibytes, count: nil)
        for turn in 2...4 {
            let now = Duration.milliseconds(turn * 300)
            _ = plan.advanced(
                0,
                to: Self.mebibyte + Int64(Double(turn - 1) * perTurn * Double(Self.mebibyte) / 3),
                now: now
            )
            #expect(plan.tick(now: now).isEmpty)
        }
        let wish = plan.wish(now: .milliseconds(1_200))
        #expect(wish.need == need && wish.left >= left << 20 && !wish.isPrompt)
        if need == .none { return }
        plan.allowance = 1
        #expect(opened(plan.tick(now: .milliseconds(1_200))).count == 1)
    }

    /// A gigabyte a second, from one look to the next.
    @Test(arguments: [true, false]) func aFastConnectionGetsHelpIfThereIsAProcessorForIt(isIdle: Bool) {
        var plan = SegmentPlan.begun(mebibytes: 4_096, count: nil)
        plan.hasIdleProcessor = isIdle
        for turn in 1...10 {
            _ = plan.advanced(0, to: Int64(turn) * 100 * Self.mebibyte, now: .milliseconds(turn * 100))
            _ = plan.tick(now: .milliseconds(turn * 100))
        }
        #expect((plan.wish(now: .seconds(1)).need == .none) != isIdle)
    }

    /// The latest end first, and the first connection never.
    @Test func helpersThatTheHostDoesNotBearEnd() {
        var plan = SegmentPlan.begun(count: 4)
        #expect(opened(plan.tick(now: .milliseconds(100))).count == 3)
        #expect(plan.shed(2, now: .milliseconds(200)) == [.close(2), .close(3)] && plan.connectionCount == 2)
        #expect(plan.shed(9, now: .milliseconds(200)) == [.close(1)] && plan.connectionCount == 1)
        #expect(plan.shed(0, now: .milliseconds(200)).isEmpty)
        #expect(plan.peak == 4)
    }

    @Test func theHostsLimitHolds() {
        var plan = SegmentPlan.begun(count: 8)
        plan.allowance = 2
        #expect(opened(plan.tick(now: .milliseconds(100))).count == 2)
        #expect(plan.tick(now: .milliseconds(200)).isEmpty)
    }

    @Test func onResumingTheGapsComeInTheirOrder() {
        let filled = [(10 * Self.mebibyte)..<(20 * Self.mebibyte), (30 * Self.mebibyte)..<(64 * Self.mebibyte)]
        var plan = SegmentPlan.begun(count: 2, filled: filled)
        let gap = 20 * Self.mebibyte..<30 * Self.mebibyte + 4_096
        let part = opened(plan.tick(now: .milliseconds(100)))
        #expect(part.map(\.lowerBound) == [gap.lowerBound])
        plan.began(1, now: .milliseconds(110))
        // Its request ends with the gap, and what is compared behind it.
        #expect(plan.advanced(0, to: 10 * Self.mebibyte + 4_096, now: .milliseconds(900)).isEmpty)
        #expect(opened(plan.ended(0, .complete, now: .seconds(1))).map(\.lowerBound) == part.map(\.upperBound))
    }

    /// A connection whose part ends with its request is there for the next part. One that others take from must be closed.
    @Test(arguments: [nil, 8, 16]) func helpersAreNotCutBeforeTheFileIsNearlyComplete(count: Int?) {
        var plan = SegmentPlan.begun(mebibytes: 256, count: count, helpers: 7)
        var (positions, parts, cuts) = ([0: Self.mebibyte], [Int: Int64](), Set<Int>())
        var now = Duration.milliseconds(100)
        func perform(_ actions: [SegmentPlan.Action]) {
            for action in actions {
                switch action {
                case .open(let id, let range): (positions[id], parts[id]) = (range.lowerBound, range.upperBound)
                case .end(let id, _): cuts.insert(id)
                default: break
                }
            }
        }
        perform(plan.tick(now: now))
        for id in parts.keys { plan.began(id, now: now) }
        while plan.left > 16 << 20, now < .seconds(60) {
            now += .milliseconds(100)
            // Some are quicker than the first.
            for (id, position) in positions.sorted(by: { $0.key < $1.key }) {
                plan.began(id, now: now)
                positions[id] = min(position + Self.mebibyte / (id % 3 == 1 ? 4 : 6), parts[id] ?? .max)
                perform(plan.advanced(id, to: positions[id] ?? 0, now: now))
                guard positions[id] == parts[id] else { continue }
                positions[id] = nil
                perform(plan.ended(id, .complete, now: now))
            }
        }
        #expect(cuts == [0])
        #expect(plan.left <= 16 << 20)
    }

    @Test(arguments: [SegmentPlan.End.useless, .failed, .busy(retryAfter: .seconds(1))])
    func whateverHelpersMeetTheFirstConnectionGoesOn(end: SegmentPlan.End) {
        var plan = SegmentPlan.begun()
        _ = plan.tick(now: .milliseconds(100))
        var actions: [SegmentPlan.Action] = []
        for id in 1...3 { actions += plan.ended(id, end, now: .milliseconds(150)) }
        #expect(!actions.contains(.close(0)))
        for turn in 2...10 { actions += plan.tick(now: .milliseconds(turn * 100)) }
        if end == .useless {
            #expect(actions.contains(.end(0, at: plan.total)) && opened(actions).isEmpty)
        } else {
            // A server that refuses three allows one, it seems.
            #expect(plan.connectionCount <= 2)
        }
        let rest = plan.advanced(0, to: plan.total, now: .seconds(2))
        #expect(plan.isFilled || rest.isEmpty)
    }

    @Test func theLastConnectionThatFailsIsTheAttemptsToRepeat() {
        var plan = SegmentPlan.begun(count: 1)
        #expect(plan.ended(0, .failed, now: .milliseconds(200)).isEmpty && plan.connectionCount == 0)
    }

    @Test func aConnectionThatIsCutCountsForAnotherMoment() {
        var plan = SegmentPlan.begun(count: 2)
        let border = opened(plan.tick(now: .milliseconds(100)))[0].lowerBound
        plan.began(1, now: .milliseconds(110))
        #expect(plan.advanced(0, to: border, now: .milliseconds(200)) == [.close(0)])
        #expect(plan.tick(now: .milliseconds(250)).isEmpty)
        #expect(opened(plan.tick(now: .milliseconds(300))).count == 1)
    }

    @Test func whatIsFilledClosesEverybody() {
        var plan = SegmentPlan.begun(mebibytes: 4, count: 2)
        let range = opened(plan.tick(now: .milliseconds(100)))[0]
        plan.began(1, now: .milliseconds(110))
        #expect(plan.advanced(1, to: range.upperBound, now: .milliseconds(300)).isEmpty)
        #expect(plan.advanced(0, to: range.lowerBound, now: .milliseconds(310)) == [.close(0)])
        #expect(plan.isFilled && plan.tick(now: .seconds(1)).isEmpty)
    }
}

extension SegmentPlan {
    /// A plan whose first connection has brought its first MiB within 100 ms.
    static func begun(
        mebibytes: Int64 = 64,
        count: Int? = 4,
        helpers: Int = 0,
        filled: [Range<Int64>] = [],
        answer: Duration = .milliseconds(10)
    ) -> SegmentPlan {
        var ranges = FilledRanges(upTo: 1 << 20)
        for range in filled { ranges.insert(range) }
        var plan = SegmentPlan(
            total: mebibytes << 20,
            filled: ranges,
            count: count,
            allowed: nil,
            position: 1 << 20,
            answer: answer,
            now: .milliseconds(100)
        )
        if count == nil { plan.allowance = helpers }
        return plan
    }
}
