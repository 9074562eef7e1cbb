import SpateHTTPSyntax

/// A 416: the entity has no bytes at the requested offset.
extension ResponseJudge {
    func unsatisfiable(at offset: Int64) -> ResumeDecision {
        if agreement == .different { return restart(.otherEntity) }
        if held.isFromElsewhere { return restart(.unprovenEnd) }
        let ranges = head.fields.values(of: "content-range").map { ContentRange($0) }
        guard case .unsatisfied(let total)? = ranges.first ?? nil, ranges.allSatisfy({ $0 == ranges.first }) else {
            return unprovenEnd
        }
        if total < held.length { return restart(.remoteShorter) }
        if total > held.length { return restart(.remoteLonger) }
        // Check the caller's limits first: a restart could not change this size.
        if let fault = sizeFault(total) { return fail(fault) }
        if let known = held.total, known != total { return restart(.otherTotal) }
        if total == 0, !held.areAny { return .complete(total: 0) }
        // The file is complete if the entity is the held one and ends where the request began.
        guard held.validator?.strong != nil, offset == total else { return restart(.unprovenEnd) }
        guard request.ifRange != nil || agreement == .same else { return unprovenEnd }
        return .complete(total: total)
    }

    /// A 416 without a total proves nothing. Request the end of the held bytes: a 206 for it states the total.
    private var unprovenEnd: ResumeDecision {
        guard let validator = held.validator?.strong, held.length > 0, !history.contains(.endOfHeld) else {
            return restart(.unprovenEnd)
        }
        let end = RangeRequest.endOfHeld(held, ifRange: validator)
        return request == end ? restart(.unprovenEnd) : .ask(end, .endOfHeld)
    }
}
