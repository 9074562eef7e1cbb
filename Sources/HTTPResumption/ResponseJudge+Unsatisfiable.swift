/// 416: the entity has nothing at the offset that was asked for.
extension ResponseJudge {
    func unsatisfiable(at offset: Int64) -> ResumeDecision {
        if agreement == .different { return restart(.otherEntity) }
        let ranges = head.fields.values(of: "content-range").map { ContentRange($0) }
        guard case .unsatisfied(let total)? = ranges.first ?? nil, ranges.allSatisfy({ $0 == ranges.first }) else {
            return unprovenEnd
        }
        // 36
        if total < held.length { return restart(.remoteShorter) }
        if total > held.length { return restart(.remoteLonger) }
        // 18: the known total may be what the caller expects; a fresh start would not change that.
        if let fault = sizeFault(total) { return fail(fault) }
        if let known = held.total, known != total { return restart(.otherTotal) }
        // 35: proof is that the entity is the held one, and ends where the request began.
        guard held.validator != nil, offset == total else { return restart(.unprovenEnd) }
        guard request.ifRange != nil || agreement == .same else { return unprovenEnd }
        return .complete(total: total)
    }

    /// 37: a server that has the last byte and nothing after it will say so in a 206.
    private var unprovenEnd: ResumeDecision {
        guard let validator = held.validator, held.length > 0, !history.contains(.lastByte) else {
            return restart(.unprovenEnd)
        }
        let lastByte = RangeRequest.tail(from: held.length - 1, ifRange: validator)
        return request == lastByte ? restart(.unprovenEnd) : .ask(lastByte, .lastByte)
    }
}
