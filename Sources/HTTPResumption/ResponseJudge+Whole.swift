/// 200 and 203: the whole entity.
extension ResponseJudge {
    /// How much must be here before one more request is spent on keeping it.
    static let worthAsking: Int64 = 1_024 * 1_024

    /// 32, 33, 34, 46: whatever was asked, this very body is the file, from zero. A Content-Range means nothing here.
    var whole: ResumeDecision {
        if let fault = framingFault { return fail(fault) }
        let length = statedLength
        // 6: where the message does not tell its length, the caller's knowledge stands in for it.
        let total = length ?? limits.expectedBytes
        if let total, let fault = sizeFault(total) { return fail(fault) }
        if let request = plainRange(length) { return .ask(request, .plainRange) }
        return .write(
            AcceptedBody(
                offset: 0,
                startsOver: true,
                total: total,
                bodyLength: length,
                validator: EntityValidator(head: head),
                encoding: head.contentEncoding,
                isLengthVerifiable: total != nil || head.showsItsEnd,
                refusesRanges: refusesRanges
            )
        )
    }

    /// Some servers answer 200 to If-Range and 206 without it. This one names the very entity that is held, so the
    /// request without the condition is worth asking, once; the 206 must then name that entity itself.
    private func plainRange(_ length: Int64?) -> RangeRequest? {
        guard case .tail(held.length, .etag?) = request, agreement == .same, held.length >= Self.worthAsking,
            !history.contains(.plainRange), !history.contains(.restart(.unprovenEntity)), !declinesRanges,
            head.contentEncoding == held.encoding,
            length.map({ $0 >= held.length && held.total ?? $0 == $0 }) ?? true
        else { return nil }
        return .tail(from: held.length, ifRange: nil)
    }

    private var declinesRanges: Bool {
        head.fields.has("none", in: "accept-ranges")
    }

    /// 33: it says so, or it was asked for a range of an unchanged entity and sent all of it.
    private var refusesRanges: Bool {
        if declinesRanges { return true }
        guard case .tail(_, let ifRange) = request else { return false }
        return ifRange == nil || agreement == .same
    }
}
