import HTTPResumption

extension FuzzTarget {
    /// The invariants behind all lines of the rules: see `DecisionCase` for the form.
    static let decision = FuzzTarget(name: "decision") { bytes throws(BrokenClaim) in
        var story = DecisionCase(bytes)
        try checkFirst(story)
        // The server gives the same answer to whatever follows from it, and the file comes as far as before each time.
        let mostRequests = RestartCause.allCases.count + 8
        for _ in 0..<mostRequests {
            let decision = story.decision
            do throws(BrokenClaim) {
                try check(decision, story)
            } catch {
                throw BrokenClaim(description: "\(error)\n\(decision)\nfor \(story)")
            }
            switch decision {
            case .write, .complete, .fail: return
            case .ask(let request, let step):
                story.history.record(step)
                story.request = request
            case .restart(let cause):
                story.history.record(.restart(cause))
                story.request = .first(for: story.held, history: story.history)
            }
        }
        throw BrokenClaim(description: "more than \(mostRequests) requests for \(story)")
    }

    private static func check(_ decision: ResumeDecision, _ story: DecisionCase) throws(BrokenClaim) {
        switch decision {
        case .write(let body) where body.startsOver: try checkWhole(body, story)
        case .write(let body): try checkJoin(body, story)
        case .complete(let total): try checkComplete(total, story)
        case .ask(let request, let step): try checkRequest(request, step, story)
        case .restart(let cause):
            try require(!story.history.contains(.restart(cause)), "the bytes are dropped twice for one cause")
            try require(story.request != .whole, "a whole is asked for again")
        case .fail(let fault): try checkFault(fault, story)
        }
    }

    private static func checkFirst(_ story: DecisionCase) throws(BrokenClaim) {
        let held = story.held
        guard case .tail(let offset, let condition) = RangeRequest.first(for: held, history: story.history) else {
            return
        }
        try require(offset > 0 && offset <= held.length, "\(offset) is asked for with \(held.length) held")
        try require(held.total.map { held.length <= $0 } ?? true, "a partial that is too long is gone on with")
        try require(condition == held.validator, "the condition is not of what is held")
        let overlap = held.length - offset
        try require(overlap == 0 || overlap == RangeRequest.overlapLength, "an overlap of \(overlap)")
        try require(overlap > 0 || condition != nil, "a blind resume")
    }

    private static func checkRequest(
        _ request: RangeRequest,
        _ step: ResumeHistory.Step,
        _ story: DecisionCase
    ) throws(BrokenClaim) {
        try require(!story.history.contains(step), "the same is tried twice")
        try require(request != story.request || step == .originalURL, "the same is asked twice")
        try require((200..<600).contains(story.head.status), "something is asked because of no answer")
        guard case .tail(let offset, let condition) = request else { return }
        try require(offset >= 0 && offset <= story.held.length, "\(offset) is asked for")
        try require(condition == nil || condition == story.held.validator, "the condition is not of what is held")
        if condition == nil, step == .plainRange {
            try require(story.isSameEntity && offset == story.held.length, "a blind request")
        }
    }

    private static func checkFault(_ fault: ResponseFault, _ story: DecisionCase) throws(BrokenClaim) {
        let text = fault.description
        try require(!text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "the reason breaks a line")
        try require(text.utf8.count < 1_000, "the reason is long")
        if let wait = fault.retryAfter {
            try require((0...RetryAfter.longest).contains(wait), "a wait of \(wait) seconds")
            try require(fault.isRetryable, "a wait for nothing")
        }
        if case .repeatedRestart(let cause) = fault.reason {
            try require(story.history.contains(.restart(cause)), "gives up on a first try")
        }
    }
}
