import SpateHTTPResumption
import Testing

@testable import SpateSplitting

/// When helpers are given up, and the first connection goes on (ResumptionRules.md S34, S35 and S37).
@Suite struct SegmentPlanHelpTests {
    private static let mebibyte: Int64 = 1 << 20

    private func opened(_ actions: [SegmentPlan.Action]) -> [(id: Int, range: Range<Int64>)] {
        actions.compactMap { if case .open(let id, let range) = $0 { (id, range) } else { nil } }
    }

    /// Helpers that are cut after some bytes, as soon as they are opened, for ten seconds. How many there were.
    private func helpers(cutAfter bytes: Int64, count: Int?, over time: ClosedRange<Int> = 10...1_000) -> Int {
        var plan = SegmentPlan.begun(mebibytes: 1_024, count: count, helpers: 3)
        var helpers = 0
        for turn in time {
            let now = Duration.milliseconds(turn * 10)
            if count == nil { plan.allowance = 4 - plan.connectionCount }
            var actions = plan.advanced(0, to: Int64(turn) * 200_000, now: now)
            if turn % 10 == 0 { actions += plan.tick(now: now) }
            while let (id, range) = opened(actions).first {
                helpers += 1
                actions.removeAll { $0 == .open(id, range) }
                if bytes > 0 {
                    plan.began(id, now: now)
                    actions += plan.advanced(id, to: range.lowerBound + bytes, now: now)
                }
                if count == nil { plan.allowance = 5 - plan.connectionCount }
                actions += plan.ended(id, .failed, now: now + .milliseconds(1))
            }
        }
        return helpers
    }

    @Test(arguments: [nil, 2, 4, 16], [0, 1, 5_000, 65_535])
    func helpersThatAreCutAfterLittleAreSoonGivenUp(count: Int?, bytes: Int64) {
        #expect(helpers(cutAfter: bytes, count: count) <= 2 * (count ?? 4))
    }

    @Test(arguments: [nil, 2, 4]) func partsOfHelpersThatAreCutAreNotAskedForAgainAtOnce(count: Int?) {
        // 0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 3.2 seconds, and as many helpers each time as were cut together.
        let helpers = helpers(cutAfter: 100_000, count: count)
        #expect((7...9 * (count ?? 4)).contains(helpers), "\(helpers)")
    }

    @Test(arguments: [(10, 2_000), (1_000, 3_000)], [nil, 4]) func helpersThatGetNoAnswerAreGivenUp(
        times: (answer: Int, patience: Int),
        count: Int?
    ) {
        var plan = SegmentPlan.begun(mebibytes: 1_024, count: count, helpers: 3, answer: .milliseconds(times.answer))
        var helpers = 0
        // When the first one was opened, and when one was closed.
        var (start, end): (Int?, Int?)
        for turn in 2...200 {
            let now = Duration.milliseconds(turn * 100)
            if count == nil { plan.allowance = max(0, 4 - plan.connectionCount) }
            let actions = plan.advanced(0, to: Int64(turn) * Self.mebibyte, now: now) + plan.tick(now: now)
            helpers += opened(actions).count
            if helpers > 0, start == nil { start = turn * 100 }
            if end == nil, actions.contains(where: { if case .replace(1...) = $0 { true } else { false } }) {
                end = turn * 100
            }
        }
        #expect((2...3).contains(helpers) && plan.isUnanswered && !plan.mayHelp)
        #expect(end.flatMap { end in start.map { end - $0 } } == times.patience)
    }

    /// A plan with one helper, whose border the first connection has not reached. Returns the border.
    private func planWithHelper(count: Int = 2) -> (plan: SegmentPlan, border: Int64) {
        var plan = SegmentPlan.begun(count: count)
        let border = opened(plan.tick(now: .milliseconds(100)))[0].range.lowerBound
        return (plan, border)
    }

    @Test func whatTheFirstConnectionHasReadBeyondItsBorderCostsNothing() {
        var (plan, border) = planWithHelper()
        _ = plan.ended(1, .failed, now: .milliseconds(150))
        // So slow that reading as much again would take longer than a request.
        _ = plan.advanced(0, to: border - 1_000, now: .seconds(20))
        let actions = plan.advanced(0, to: border + 261_000, now: .seconds(20))
        #expect(actions == [.end(0, at: plan.total)] && plan.connectionCount == 1)
    }

    @Test(
        arguments: [
            SegmentPlan.End.busy(retryAfter: .seconds(20)), .busy(retryAfter: .zero), .failed,
        ]
    )
    func theFirstConnectionReadsOnAfterARefusal(end: SegmentPlan.End) {
        var plan = SegmentPlan.begun(count: 3)
        let helpers = opened(plan.tick(now: .milliseconds(100))).sorted { $0.range.lowerBound < $1.range.lowerBound }
        plan.began(helpers[0].id, now: .milliseconds(110))
        _ = plan.advanced(helpers[0].id, to: helpers[0].range.lowerBound + Self.mebibyte, now: .milliseconds(110))
        _ = plan.ended(helpers[1].id, end, now: .milliseconds(150))
        // What follows its part is being fetched, far ahead of it.
        let actions = plan.advanced(0, to: helpers[0].range.lowerBound + 5_000, now: .seconds(1))
        #expect(actions.contains(.end(0, at: helpers[0].range.upperBound)) && !actions.contains(.close(0)))
    }

    @Test func theFirstConnectionDoesNotEndWhereNoOtherMayOpen() {
        var (plan, border) = planWithHelper()
        plan.began(1, now: .milliseconds(110))
        _ = plan.advanced(1, to: border + 10 * Self.mebibyte, now: .milliseconds(500))
        plan.mayReplaceFirst = false
        #expect(plan.advanced(0, to: border, now: .seconds(1)) == [.end(0, at: plan.total)])
        var (other, otherBorder) = planWithHelper()
        other.began(1, now: .milliseconds(110))
        _ = other.advanced(1, to: otherBorder + 10 * Self.mebibyte, now: .milliseconds(500))
        #expect(other.advanced(0, to: otherBorder, now: .seconds(1)).contains(.close(0)))
    }

    /// Until the old one has ended, the host has one connection more.
    @Test(arguments: [false, true]) func theOnlyHelperIsReplacedWhereTheHostAllowsThat(mayReplace: Bool) {
        var plan = SegmentPlan.begun(count: 1)
        var (only, position, replaced) = (0, Self.mebibyte, [Int]())
        for turn in 11...500 {
            let now = Duration.milliseconds(turn * 10)
            // Fast at first, and then it crawls.
            position += turn < 150 ? 50_000 : 100
            var actions = plan.advanced(only, to: position, now: now)
            plan.mayReplaceFirst = only == 0 || mayReplace
            if turn % 5 == 0 { actions += plan.tick(now: now) }
            for case .replace(let id) in actions { replaced.append(id) }
            if let next = opened(actions).first {
                (only, position) = (next.id, next.range.lowerBound)
                plan.began(only, now: now)
            }
        }
        #expect(replaced == (mayReplace ? [0, 1] : [0]))
    }

    @Test func nobodyIsOpenedBeforeTheTimeEvenWhenNobodyIsLeft() {
        var (plan, border) = planWithHelper(count: 3)
        _ = plan.ended(2, .busy(retryAfter: .seconds(20)), now: .milliseconds(150))
        _ = plan.ended(1, .failed, now: .milliseconds(150))
        #expect(plan.ended(0, .complete, now: .seconds(1)).isEmpty && plan.connectionCount == 0 && border > 0)
    }

    @Test(arguments: [nil, 4]) func automaticAsksForNoSmallPart(count: Int?) {
        var plan = SegmentPlan.begun(mebibytes: 10, count: count, helpers: 3)
        var ranges: [Range<Int64>] = []
        var positions: [Int: (position: Int64, end: Int64)] = [0: (Self.mebibyte, plan.total)]
        var now = Duration.milliseconds(100)
        while !plan.isFilled, now < .seconds(60) {
            now += .milliseconds(10)
            if count == nil { plan.allowance = 4 - plan.connectionCount }
            var actions = plan.tick(now: now)
            for (id, (position, end)) in positions.sorted(by: { $0.key < $1.key }) {
                let next = min(max(end, position), position + 20_000 + Int64(id) * 3_000)
                positions[id]?.position = next
                plan.began(id, now: now)
                actions += plan.advanced(id, to: next, now: now)
                if next == end, positions.removeValue(forKey: id) != nil {
                    actions += plan.ended(id, .complete, now: now)
                }
            }
            for action in actions {
                switch action {
                case .open(let id, let range):
                    // The last part may be tried a second time.
                    let isSecondTry = positions.values.contains { $0.end == range.upperBound }
                    if !isSecondTry { ranges.append(range) }
                    positions[id] = (range.lowerBound, range.upperBound)
                case .close(let id), .replace(let id): positions[id] = nil
                case .suspect: break
                case .end(let id, let end): positions[id]?.end = end
                }
            }
        }
        #expect(plan.isFilled && ranges.count >= 3)
        // Near the end of the file they may be smaller, but not as small as where a number is given.
        let small = ranges.filter { $0.count < 256 << 10 }
        if count == nil { #expect(small.isEmpty, "\(small)") } else { #expect(!small.isEmpty) }
    }

    /// The host has no room for a helper after all: that is no failure of it, and it is opened when there is room.
    @Test(arguments: [1, 10]) func aHelperThatFindsNoRoomIsOpenedLater(times: Int) {
        var plan = SegmentPlan.begun(count: 2)
        for turn in 2..<2 + times {
            plan.allowance = 1
            let helpers = opened(plan.tick(now: .milliseconds(turn * 100)))
            #expect(helpers.count == 1)
            plan.withdraw(helpers[0].id)
            #expect(plan.connectionCount == 1 && plan.mayHelp && plan.allowance == 0)
            #expect(opened(plan.tick(now: .milliseconds(turn * 100 + 50))).isEmpty)
        }
        // The first one brings it all, if there never is.
        var actions: [SegmentPlan.Action] = []
        for turn in 20...100 where !plan.isFilled {
            actions += plan.advanced(0, to: min(64, Int64(turn)) * Self.mebibyte, now: .milliseconds(turn * 100))
        }
        #expect(plan.isFilled && opened(actions).isEmpty)
    }
}
