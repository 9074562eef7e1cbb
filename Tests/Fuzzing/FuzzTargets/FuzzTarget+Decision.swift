import SpateHTTPResumption
import SpateHTTPSyntax

extension FuzzTarget {
    /// The invariants of all resumption rules. `DecisionCase` describes the input.
    static let decision = FuzzTarget(name: "decision") { bytes throws(BrokenClaim) in
        var story = DecisionCase(bytes)
        try checkFirst(story)
        // The server answers every request that follows in the same way, and the download gets as far each time.
        let mostRequests = RestartCause.allCases.count + 8
        for _ in 0..<mostRequests {
            let decision = story.decision
            do throws(BrokenClaim) {
                try check(decision, story)
            } catch {
                throw BrokenClaim(description: "\(error)\n\(decision)\nfor \(story)")
            }
            switch decision {
            case .write, .complete, .unchanged, .fail: return
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
        case .unchanged: try require(false, "no finished file was asked about")
        case .ask(let request, let step): try checkRequest(request, step, story)
        case .restart(let cause):
            try require(!story.history.contains(.restart(cause)), "restarts twice for one cause")
            try require(story.request != .whole, "restarts from a request for the whole entity")
        case .fail(let fault): try checkFault(fault, story)
        }
    }

    private static func checkFirst(_ story: DecisionCase) throws(BrokenClaim) {
        let held = story.held
        guard case .tail(let offset, let condition) = RangeRequest.first(for: held, history: story.history) else {
            return
        }
        try require(offset >= 0 && offset <= held.length, "\(offset) is requested with \(held.length) bytes held")
        try require(held.length > 0 || held.gapEnd != nil, "a range request for the whole, with no bytes held")
        try require(held.total.map { held.length <= $0 } ?? true, "a partial file beyond the total is resumed")
        try require(condition == held.validator?.strong, "If-Range is not the held validator")
        let overlap = held.length - offset
        let seam = min(held.length, RangeRequest.seamLength)
        try require(
            [seam, RangeRequest.overlapLength].contains(overlap) || overlap == 0 && held.length == held.total,
            "an overlap of \(overlap)"
        )
        try require(overlap == RangeRequest.overlapLength || condition != nil, "a resume without any proof")
    }

    private static func checkRequest(
        _ request: RangeRequest,
        _ step: ResumeHistory.Step,
        _ story: DecisionCase
    ) throws(BrokenClaim) {
        try require(!story.history.contains(step), "a step is tried twice")
        try require(request != story.request || step == .originalURL, "a request is repeated")
        try require((200..<600).contains(story.head.status), "a request follows from an invalid status")
        guard case .tail(let offset, let condition) = request else { return }
        try require(offset >= 0 && offset <= story.held.length, "\(offset) is requested")
        try require(condition == nil || condition == story.held.validator?.strong, "If-Range is not the held validator")
        if condition == nil, step == .plainRange {
            try require(story.isSameEntity && request.isUnconditional(of: story.request), "a request without any proof")
        }
    }

    private static func checkFault(_ fault: ResponseFault, _ story: DecisionCase) throws(BrokenClaim) {
        let text = fault.description
        try require(!text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "the description breaks a line")
        try require(text.utf8.count < 1_000, "the description is long")
        if let wait = fault.retryAfter {
            try require((0...RetryAfter.longest).contains(wait), "a wait of \(wait) seconds")
            try require(fault.isRetryable, "a wait without a retry")
        }
        if case .repeatedRestart(let cause) = fault.reason {
            try require(story.history.contains(.restart(cause)), "fails before it restarts")
        }
    }
}

extension RangeRequest {
    /// Whether it is this request without its condition.
    fileprivate func isUnconditional(of other: RangeRequest) -> Bool {
        guard case .tail(let offset, nil) = self, case .tail(offset, _?) = other else { return false }
        return true
    }
}
