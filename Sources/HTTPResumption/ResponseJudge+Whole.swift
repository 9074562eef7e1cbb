import SpateHTTPSyntax

/// A 200 or 203: the whole entity.
extension ResponseJudge {
    /// How many held bytes justify one more request to keep them.
    static let worthAsking: Int64 = 1_024 * 1_024

    /// This body is the file from zero, whatever the request was. A Content-Range in a 200 means nothing.
    var whole: ResumeDecision {
        if let fault = framingFault { return fail(fault) }
        let length = statedLength
        if case .wholeUnless(let finished) = request, finished.isSame(as: head, length: length) { return .unchanged }
        let isPage = head.isPage ?? false
        if isPage, pageReplacesFile(length) { return fail(.pageInstead) }
        if let fault = otherSourceFault(length ?? provenTotal) { return fail(fault) }
        if held.arePieces { return wholeInPieces(length) }
        if held.isProtected { return fail(.otherSource(.unprovenEntity)) }
        // If the message does not state its length, use the size that the caller expects, or that of the origin's file.
        let total = length ?? limits.expectedBytes ?? provenTotal
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
                digest: StatedDigest(head: head),
                isPage: isPage,
                isLengthVerifiable: total != nil || head.showsItsEnd,
                refusesRanges: refusesRanges
            )
        )
    }

    /// Only the gaps are written, since checksums prove the bytes that are held.
    private func wholeInPieces(_ length: Int64?) -> ResumeDecision {
        if let length, length != held.total { return restart(.otherTotal) }
        if head.contentEncoding != held.encoding { return restart(.otherEncoding) }
        if let total = held.total, let fault = sizeFault(total) { return fail(fault) }
        if let request = plainRange(length) { return .ask(request, .plainRange) }
        return .write(
            AcceptedBody(
                offset: 0,
                startsOver: false,
                total: held.total,
                bodyLength: length,
                validator: EntityValidator(head: head),
                encoding: held.encoding,
                digest: StatedDigest(head: head),
                isPage: held.isPage,
                isJoined: agreement != .same,
                isLengthVerifiable: true,
                refusesRanges: refusesRanges
            )
        )
    }

    /// Whether a page, such as a login page, came in place of a known file that was not a page.
    private func pageReplacesFile(_ length: Int64?) -> Bool {
        if limits.acceptsPages { return false }
        if case .wholeUnless(let finished) = request {
            return !finished.isPage && !finished.isNamed(by: head) && length != finished.size
        }
        guard held.length > 0, !held.isPage, !(held.validator?.isNamed(by: head) ?? false) else { return false }
        return length == nil || length != held.total
    }

    /// Some servers answer 200 to If-Range but 206 without it. If this 200 has the held entity tag, try once without
    /// If-Range. The 206 must then have that tag itself, unless checksums of pieces prove it.
    private func plainRange(_ length: Int64?) -> RangeRequest? {
        guard case .tail(let offset, .etag?) = request, agreement == .same || held.arePieces,
            held.length >= Self.worthAsking || held.arePieces,
            !history.contains(.plainRange), !history.contains(.restart(.unprovenEntity)), !declinesRanges,
            head.contentEncoding == held.encoding,
            length.map({ $0 >= held.length && held.total ?? $0 == $0 }) ?? true
        else { return nil }
        return .tail(from: offset, ifRange: nil)
    }

    private var declinesRanges: Bool {
        head.fields.has("none", in: "accept-ranges")
    }

    /// The server says so, or it sent the whole of an unchanged entity in response to a range request.
    private var refusesRanges: Bool {
        if declinesRanges { return true }
        guard case .tail(_, let ifRange) = request else { return false }
        return ifRange == nil || agreement == .same
    }
}
