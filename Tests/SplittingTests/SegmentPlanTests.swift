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
        let part = (mebibytes - 1) * Self.mebibyte / Int64(opens + 1)
        // The first connection works on while others begin.
        #expect(ranges.allSatisfy { abs(Int64($0.count) - part) <= part / 4 + 65_536 })
        #expect(plan.tick(now: .milliseconds(200)).isEmpty)
    }

    @Test(arguments: [(7, nil), (7, 4), (64, 1)] as [(mebibytes: Int64, known: Int?)])
    func automaticOpensNoneForLittleOrWhereNoneHelped(mebibytes: Int64, known: Int?) {
        var plan = SegmentPlan.begun(mebibytes: mebibytes, count: nil, known: known)
        for turn in 2...30 {
            let now = Duration.milliseconds(turn * 100)
            _ = plan.advanced(0, to: Self.mebibyte + Int64(turn) * 100_000, now: now)
            #expect(plan.tick(now: now).isEmpty)
        }
    }

    @Test func whereFourHelpedFourAreOpenedAfterALook() {
        var plan = SegmentPlan.begun(count: nil, known: 4)
        _ = plan.advanced(0, to: 2 * Self.mebibyte, now: .milliseconds(200))
        #expect(opened(plan.tick(now: .milliseconds(200))).count == 3 && plan.lesson == 4)
    }

    /// A gigabyte a second, from one look to the next.
    @Test(arguments: [true, false]) func aFastConnectionGetsHelpIfThereIsAProcessorForIt(isIdle: Bool) {
        var plan = SegmentPlan.begun(mebibytes: 4_096, count: nil)
        plan.hasIdleProcessor = isIdle
        var actions: [SegmentPlan.Action] = []
        for turn in 1...10 {
            _ = plan.advanced(0, to: Int64(turn) * 100 * Self.mebibyte, now: .milliseconds(turn * 100))
            actions += plan.tick(now: .milliseconds(turn * 100))
        }
        #expect(opened(actions).isEmpty != isIdle)
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
        #expect(plan.tick(now: .milliseconds(100)) == [.open(1, 20 * Self.mebibyte..<30 * Self.mebibyte + 4_096)])
        plan.began(1, now: .milliseconds(110))
        // Its request ends with the gap, and what is compared behind it.
        #expect(plan.advanced(0, to: 10 * Self.mebibyte + 4_096, now: .milliseconds(900)).isEmpty)
        #expect(opened(plan.ended(0, .complete, now: .seconds(1))).map(\.upperBound) == [30 * Self.mebibyte + 4_096])
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
        known: Int? = nil,
        filled: [Range<Int64>] = [],
        answer: Duration = .milliseconds(10)
    ) -> SegmentPlan {
        var ranges = FilledRanges(upTo: 1 << 20)
        for range in filled { ranges.insert(range) }
        return SegmentPlan(
            total: mebibytes << 20,
            filled: ranges,
            count: count,
            known: known,
            position: 1 << 20,
            answer: answer,
            now: .milliseconds(100)
        )
    }
}
