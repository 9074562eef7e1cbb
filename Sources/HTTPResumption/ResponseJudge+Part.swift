import SpateHTTPSyntax

/// A 206: a part of the entity. Join it only if it is proven to continue the held bytes.
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
        if let fault = otherSourceFault(total ?? provenTotal) { return fail(fault) }
        if let cause = change(total: total, last: last) { return restart(cause) }
        let length = last - first + 1
        if let stated = statedLength, stated != length {
            return fail(.rangeLengthMismatch(contentLength: stated, rangeLength: length))
        }
        if let other = unproven(from: offset, total: total) { return other }
        let whole = total ?? held.total ?? limits.expectedBytes
        // This is the held entity, so the total of an earlier response holds. Check it against the caller's limits.
        if let whole, let fault = sizeFault(whole) { return fail(fault) }
        return join(from: offset, length: length, total: whole)
    }

    /// Several ranges in one body, which nobody requested.
    private var isMultipart: Bool {
        head.fields.values(of: "content-type").contains {
            $0.lowercased().utf8.starts(with: "multipart/byteranges".utf8)
        }
    }

    /// What proves that the part belongs to another entity: total, validator or encoding.
    private func change(total: Int64?, last: Int64) -> RestartCause? {
        if let known = held.total, let total, total != known { return .otherTotal }
        if let known = total ?? held.total, last >= known || held.length > known { return .otherTotal }
        if agreement == .different, !held.arePieces { return .otherEntity }
        if agreement == .same, let stated, held.digest?.contradicts(stated) ?? false { return .otherDigest }
        return hasOtherEncoding ? .otherEncoding : nil
    }

    private var stated: StatedDigest? { StatedDigest(head: head) }

    /// A 206 to If-Range need not repeat the Content-Encoding (RFC 9110, section 15.3.7). Under the same validator, a
    /// missing field means the same encoding.
    private var hasOtherEncoding: Bool {
        guard let encoding = head.contentEncoding else { return held.encoding != nil && agreement != .same }
        return encoding != held.encoding
    }

    /// Nothing contradicts this part; require a matching validator or an overlap.
    private func unproven(from offset: Int64, total: Int64?) -> ResumeDecision? {
        if held.arePieces { return nil }
        if held.isFromElsewhere {
            let isProven = agreement == .same && total != nil && held.length - offset >= RangeRequest.overlapLength
            return isProven ? nil : restart(.unprovenEntity)
        }
        if agreement == .same { return nil }
        guard total != nil || limits.hasProof else { return restart(.unprovenEntity) }
        if held.length - offset >= min(RangeRequest.overlapLength, max(1, held.length)) { return nil }
        // A range request without If-Range needs a validator in the response. There is none.
        guard request.ifRange != nil, let overlap = RangeRequest.overlapping(held) else {
            return restart(.unprovenEntity)
        }
        return .ask(overlap, .overlap)
    }

    /// Accepts the part. If it ends before the entity does, a later request gets the rest.
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
                // From now on, the response's validator also covers the bytes that a comparison has joined.
                validator: (agreement == .different ? nil : held.validator?.strong) ?? EntityValidator(head: head)
                    ?? held.validator,
                encoding: held.encoding,
                // A part need not repeat the digest.
                digest: agreement == .same ? held.digest ?? stated : stated,
                isPage: held.isPage,
                keepsGaps: held.arePieces || agreement == .same && !held.isFromElsewhere,
                isJoined: held.proof != .none && agreement != .same,
                isLengthVerifiable: true
            )
        )
    }
}
