import SpateHTTPSyntax

/// Decides what to do with a response.
///
/// Extensions judge each kind of response: the whole entity (200), a part (206), and an unsatisfiable range (416).
struct ResponseJudge {
    let held: HeldBytes
    let request: RangeRequest
    let head: ResponseHead
    let history: ResumeHistory
    let limits: ResponseLimits
    let hop: Int
    let now: Int64

    // Parsed once, used several times.
    let agreement: EntityValidator.Agreement
    let contentLength: ContentLength

    var decision: ResumeDecision {
        switch (head.status, request) {
        case (304, .wholeUnless(let finished)): notModified(finished)
        case (200, _), (203, _): whole
        case (206, .tail(let offset, _)): part(from: offset)
        case (416, .tail(let offset, _)): unsatisfiable(at: offset)
        case (412, .tail): restart(.preconditionFailed)
        case (304, .tail): restart(.notModified)
        case (401, .tail), (403, .tail), (410, .tail): refusal
        case (400..<600, _): errorStatus
        default: fail(.unexpectedStatus(head.status))
        }
    }

    /// If a 304 names another entity, request the whole entity without a condition.
    private func notModified(_ finished: FinishedEntity) -> ResumeDecision {
        finished.isContradicted(by: head) ? .ask(.whole, .unconditional) : .unchanged
    }

    /// A signed URL may have expired. The original URL redirects to a new one.
    private var refusal: ResumeDecision {
        guard hop > 0, !history.contains(.originalURL) else { return errorStatus }
        return .ask(.first(for: held, history: history), .originalURL)
    }

    /// The body of an error response is never written to the file.
    private var errorStatus: ResumeDecision {
        if case .tail = request, mayRefuseRange, !history.contains(.withoutRange) { return .ask(.whole, .withoutRange) }
        guard ResponseFault.isRetryable(status: head.status) else { return fail(.status(head.status)) }
        let wait = RetryAfter.wait(head, now: now, maximum: limits.longestWait)
        return .fail(ResponseFault(.status(head.status), retryAfter: wait))
    }

    /// Some servers answer a range past the end, or any range, with a 400. Statuses that mean something else stay.
    private var mayRefuseRange: Bool {
        switch head.status {
        case 401, 403, 404, 407, 408, 410, 412, 416, 425, 429: false
        default: (400..<500).contains(head.status)
        }
    }

    func fail(_ reason: ResponseFault.Reason) -> ResumeDecision {
        .fail(ResponseFault(reason))
    }

    func restart(_ cause: RestartCause) -> ResumeDecision {
        .restart(for: cause, of: held, history)
    }
}
