/// 206: a part of the entity, to be joined only when it is proven to continue what is held.
extension ResponseJudge {
    func part(from offset: Int64) -> ResumeDecision {
        if let fault = framingFault { return fail(fault) }
        if isMultipart { return restart(.multipart) }
        let fields = head.fields.values(of: "content-range")
        guard let field = fields.first else { return restart(.missingRange) }
        guard fields.allSatisfy({ $0 == field }), case .part(let first, let last, let total) = ContentRange(field)
        else {
            return restart(.malformedRange)
        }
        guard first == offset else { return restart(.wrongStart) }
        if let fault = total.flatMap({ sizeFault($0) }) ?? excessFault(last + 1) { return fail(fault) }
        if let cause = change(total: total, last: last) { return restart(cause) }
        let length = last - first + 1
        if let stated = statedLength, stated != length {
            return fail(.rangeLengthMismatch(contentLength: stated, rangeLength: length))
        }
        if let other = unproven(from: offset, total: total) { return other }
        let whole = total ?? held.total ?? limits.expectedBytes
        // 18, 83: proven to be of the held entity, it has the size that an earlier response told.
        if let whole, let fault = sizeFault(whole) { return fail(fault) }
        return join(from: offset, length: length, total: whole)
    }

    /// 30
    private var isMultipart: Bool {
        let type = "multipart/byteranges"
        return head.fields.octets(of: "content-type").contains { value in
            let start = value.prefix(type.utf8.count)
            return start.span.spells(type)
        }
    }

    /// 22, 23, 43, 50: what shows that this is a part of something else.
    private func change(total: Int64?, last: Int64) -> RestartCause? {
        if let known = held.total, let total, total != known { return .otherTotal }
        if let known = total ?? held.total, last >= known || held.length > known { return .otherTotal }
        if agreement == .different { return .otherEntity }
        return hasOtherEncoding ? .otherEncoding : nil
    }

    /// 50. A 206 to If-Range need not repeat the Content-Encoding (RFC 9110, 15.3.7): where the validator is the same,
    /// silence means that the coding is, too.
    private var hasOtherEncoding: Bool {
        guard let encoding = head.contentEncoding else { return held.encoding != nil && agreement != .same }
        return encoding != held.encoding
    }

    /// 24, 25, 39, 40: nothing speaks against it, but is there anything that speaks for it?
    ///
    /// The validator does, or else the bytes in an overlap will.
    private func unproven(from offset: Int64, total: Int64?) -> ResumeDecision? {
        if agreement == .same { return nil }
        guard total != nil else { return restart(.unprovenEntity) }
        if held.length - offset >= RangeRequest.overlapLength { return nil }
        // Without If-Range it was asked in the hope of a validator, and has none.
        guard request.ifRange != nil, let overlap = RangeRequest.overlapping(held) else {
            return restart(.unprovenEntity)
        }
        return .ask(overlap, .overlap)
    }

    /// 20, 26: the part's own length is what must arrive; when it ends before the whole does, the rest is asked for.
    private func join(from offset: Int64, length: Int64, total: Int64?) -> ResumeDecision {
        let overlap = held.length - offset
        guard overlap >= 0 else { return restart(.wrongStart) }
        guard length > overlap || (length == overlap && total == held.length) else { return restart(.overlapTooShort) }
        return .write(
            AcceptedBody(
                offset: offset,
                comparing: overlap,
                startsOver: false,
                total: total,
                bodyLength: length,
                validator: held.validator ?? EntityValidator(head: head),
                encoding: held.encoding,
                isLengthVerifiable: true
            )
        )
    }
}
