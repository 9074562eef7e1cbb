import HTTPResumption
import Testing

/// What holds for every response, however mad.
@Suite struct ResumeDecisionPropertyTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func noResponseTrapsOrJoinsUnprovenBytes(seed: UInt64) {
        var mad = MadServer(seed: seed)
        for _ in 0..<2_000 {
            let held = mad.held()
            let history = mad.history()
            let request = mad.request(held)
            let head = mad.head(near: held)
            let decision = ResumeDecision.decide(
                held: held,
                request: request,
                head: head,
                history: history,
                limits: mad.limits(),
                hop: Int(mad.below(3)),
                now: mad.number()
            )
            if !isSound(decision, held, request, head, history) {
                Issue.record("\(decision) for \(held), \(request), \(head)")
            }
        }
    }

    /// 46
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func noServerKeepsADownloadAskingForEver(seed: UInt64) {
        var mad = MadServer(seed: seed)
        for _ in 0..<500 {
            var held = mad.held()
            var history = ResumeHistory()
            var request = RangeRequest.first(for: held)
            var requests = 0
            conversation: while true {
                requests += 1
                guard requests < 60 else {
                    Issue.record("\(history)")
                    break
                }
                let head = mad.head(near: held)
                switch ResumeDecision.decide(
                    held: held,
                    request: request,
                    head: head,
                    history: history,
                    hop: 1,
                    now: 0
                ) {
                case .ask(let other, let step):
                    history.record(step)
                    request = other
                case .restart(let cause):
                    history.record(.restart(cause))
                    // As if it came as far as before each time, and the server were as mad again.
                    held = mad.held()
                    request = .first(for: held, history: history)
                case .write, .complete, .fail: break conversation
                }
            }
        }
    }

    private func isSound(
        _ decision: ResumeDecision,
        _ held: HeldBytes,
        _ request: RangeRequest,
        _ head: ResponseHead,
        _ history: ResumeHistory
    ) -> Bool {
        let isSame = held.validator?.agreement(with: head) == .same
        switch decision {
        case .write(let body) where body.startsOver:
            return (head.status == 200 || head.status == 203) && body.offset == 0 && body.comparing == 0
        case .write(let body):
            guard head.status == 206, case .tail(body.offset, _) = request, let length = body.bodyLength else {
                return false
            }
            let isProven = isSame || body.comparing >= RangeRequest.overlapLength
            let fits = body.total.map { body.offset <= $0 - length } ?? isSame
            return isProven && fits && body.comparing == held.length - body.offset && length >= max(1, body.comparing)
        case .complete(let total):
            return head.status == 416 && held.validator != nil && total == held.length && (held.total ?? total) == total
        case .ask(_, .overlap): return held.length > RangeRequest.overlapLength
        case .ask(let other, let step): return !history.contains(step) && (other != request || step == .originalURL)
        case .restart(let cause): return !history.contains(.restart(cause)) && request != .whole
        case .fail(let fault): return !fault.description.isEmpty
        }
    }
}
