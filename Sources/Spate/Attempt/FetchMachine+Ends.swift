import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpatePartialFiles

/// Handles the end of a transfer.
extension FetchMachine {
    /// The transfer of a connection has ended.
    mutating func ended(_ id: Int, _ finish: Connection.Finish, _ moment: Moment) -> [Action] {
        change(id) { $0.ended() }
        if division == nil { return leaveAddress(after: conclude(finish, moment), finish, moment.filled) }
        if id != 0, case .send = self[id]?.next, mayGoOn(id) { return [.send(id)] }
        let failed = failedAddress(of: id, finish.end)
        return (failed.map { [.avoid($0)] } ?? []) + close(id, end(of: id, finish, moment))
    }

    /// Handles the end of the first connection's transfer. The last action says how the attempt continues.
    mutating func conclude(_ finish: Connection.Finish, _ moment: Moment) -> [Action] {
        if let actions = returnToHTTP2(after: finish, moment.filled) { return actions }
        let refusal = finish.fault.map { refuse($0, moment.filled) } ?? []
        return noteUnprovenEnd(refusal + [whatFollows(finish, moment)])
    }

    private mutating func whatFollows(_ finish: Connection.Finish, _ moment: Moment) -> Action {
        if !isStopping, let pieceEnd { return .end(pieceEnd) }
        if case .cancelled = finish.end {
            return .end(isStopping ? .cancelled : floor?.failure.map { .failed($0) } ?? .cancelled)
        }
        if case .write = first.next, let body = finish.body { conclude(finish.end, body, moment.filled) }
        switch first.next {
        case .send: return .send(0)
        case .readMetalink(let link): return .readMetalink(link)
        case .publish(let size): return .publish(size: size)
        case .keepFinished(let isProven): return .keepFinished(isProven: isProven)
        case .fail(let failure): return .end(.failed(failure))
        case .nothing, .write, .refused:
            var failure = FetchFailure(first.noResponse)
            if case .failed(let error) = finish.end {
                failure = self.failure(error, finish.end)
                if case .nothing = first.next, error.isRefusal { failure.turnedAwayBy = first.route.address.origin }
            }
            if failure.error.isRetryable { failure.suspicion = suspicion(moment.time) }
            return .end(.failed(failure))
        }
    }

    private mutating func conclude(_ end: TransferEnd, _ body: Connection.Body, _ filled: FilledRanges) {
        let (before, gapEnd) = (held.length, held.gapEnd)
        hold(filled)
        // A length, or the expected size, proves it.
        let end = if case .unproven = end, body.hasKnownEnd { TransferEnd.complete } else { end }
        // If the size is unknown, only a response for the whole can end the file.
        let mayLackMore = held.total.map { held.length < $0 } ?? !body.startsOver
        switch end {
        case .failed(let error): first.next = .fail(failure(error, end))
        case .complete where body.isWhole && !mayLackMore: first.next = .publish(size: held.length)
        // The server sent a part of the rest. Request more, but only if it sent something new.
        case .complete where body.isWhole && held.length > before:
            if let gapEnd, body.position < gapEnd { namesEnds = false }
            askForRest()
        case .stopped where first.isLeaving && !body.isWhole: askForRest()
        case .unproven: proveEnd()
        case .needsHTTP1 where held.total == held.length: first.next = .publish(size: held.length)
        case .needsHTTP1:
            usesHTTP1 = true
            askForRest()
        case .complete, .stopped, .cancelled:
            fail(.incomplete(received: held.length, total: held.total, at: first.route.elsewhere))
        }
    }

    /// Writing the body failed.
    private mutating func refuse(_ fault: BodyWriter.Fault, _ filled: FilledRanges) -> [Action] {
        if case .differs = fault, isComparing, first.isAtChosenAddress {
            // The bytes on disk are from another address. That one may go on.
            first.returnToName()
            return [.distrust(first.route.address.origin)]
        }
        if case .differs = fault { return dropDifferentBytes(filled) }
        hold(filled)
        switch fault {
        case .differs: break
        case .tooLarge(let limit): fail(.tooLarge(limit: limit))
        case .moreThanExpected(let size): fail(.moreThanExpected(size))
        case .disk(let error): fail(DownloadError(error))
        case .surplus:
            let isWhole = held.total.map { held.length >= $0 } ?? true
            if isWhole { first.next = .publish(size: held.length) } else { askForRest() }
        }
        return []
    }

    private mutating func failure(_ error: TransportError, _ end: TransferEnd) -> FetchFailure {
        let failedAddress = failedAddress(of: 0, end)
        var failure = DownloadError(error, first.route.address, at: first.route.elsewhere)
        // Retry once after malformed chunks: some servers always send them.
        if error.kind == .malformedChunks {
            if history.contains(.malformedChunks) { failure.isRetryable = false }
            history.record(.malformedChunks)
        }
        var result = FetchFailure(failure)
        result.failedAddress = failedAddress
        if error.kind == .hostNotFound { result.unfoundHost = first.route.address }
        return result
    }

    mutating func fail(_ error: DownloadError) {
        first.next = .fail(FetchFailure(error))
    }

    mutating func hold(_ filled: FilledRanges) {
        if bytes.hold(filled) { history.noteProgress() }
    }

    // MARK: The next request

    /// Makes this range the next request, at the same address.
    mutating func ask(for range: RangeRequest) {
        self.range = range
        first.route.beginRequest()
        first.next = .send
    }

    mutating func askForRest() {
        ask(for: .first(for: held, history: history))
    }

    // MARK: Suspicion

    /// A server may refuse a client because of its other connections. Then one connection continues (S36).
    func suspicion(_ now: Time) -> (HTTPOrigin, Time)? {
        history.contains(.helped) ? (first.route.address.origin, now) : nil
    }

    /// Helpers were opened shortly before the failure: open no more.
    mutating func goesOnAlone() {
        history.record(.alone)
    }

    // MARK: Starting over

    /// Several responses do not fit together. Fetch the file again in one response, once; or, of a file with pieces, what
    /// is not proven.
    mutating func dropDifferentBytes(_ filled: FilledRanges) -> [Action] {
        pieces?.doubt()
        if let pieceFailure {
            first.next = .fail(pieceFailure)
            return []
        }
        let decision = ResumeDecision.overlapDiffers(from: held, history: history)
        if held.validator?.strong != nil { history.record(.alone) }
        switch decision {
        case .restart(let cause): return restart(because: cause, filled)
        case .fail(let fault):
            fail(DownloadError(fault, at: first.route.elsewhere))
            return fault.keepsPartial ? [] : [.drop]
        default: return []
        }
    }

    /// Drops the bytes and requests the whole from the original URL: redirects may have led to a URL that works once.
    mutating func restart(because cause: RestartCause, _ filled: FilledRanges) -> [Action] {
        history.record(.restart(cause))
        first.route.returnToOrigin()
        if bytes.hasAdvanced(filled) { fail(.changedMeanwhile) } else { ask(for: .whole) }
        return [.drop]
    }

    /// Drops a complete file with a wrong checksum. Returns whether another attempt may help: the file was joined from
    /// several responses, or the server itself stated the checksum, and this has not happened before.
    ///
    /// Only another attempt may fetch it in one piece, because progress must not fall within an attempt.
    mutating func dropWrongFile(isStated: Bool) -> (isWorthATry: Bool, actions: [Action]) {
        let isWorthATry = pieces == nil && (bytes.isJoined || isStated) && !history.contains(.restart(.otherChecksum))
        if isWorthATry {
            history.record(.restart(.otherChecksum))
            history.record(.alone)
        }
        return (isWorthATry, [.drop])
    }

    mutating func dropped(isGone: Bool) {
        bytes.dropped(isGone: isGone)
    }
}
