/// What to do with a response, given what is on disk and what was asked.
package enum ResumeDecision: Hashable, Sendable {
    /// Take the body.
    case write(AcceptedBody)
    /// All is on disk, and proven; the size of it.
    case complete(total: Int64)
    /// Keep the bytes, leave the body, and ask something else: once more from the original URL where the step says
    /// so, from the same URL otherwise. Record the step first.
    case ask(RangeRequest, ResumeHistory.Step)
    /// Record the cause, drop the bytes, and ask for the whole.
    case restart(RestartCause)
    case fail(ResponseFault)

    /// Judges a response by its head.
    ///
    /// - Parameters:
    ///   - held: What is on disk.
    ///   - request: What the request asked for, in view of the same bytes.
    ///   - head: The response. Redirects are `RedirectPolicy`'s; one that comes here is a fault.
    ///   - history: What was tried before this request.
    ///   - limits: What the caller allows.
    ///   - hop: How many redirects lie between the original URL and the one that answered, be they followed now or
    ///     in an earlier attempt.
    ///   - now: The time in seconds since 1970.
    package static func decide(
        held: HeldBytes,
        request: RangeRequest,
        head: ResponseHead,
        history: ResumeHistory = ResumeHistory(),
        limits: ResponseLimits = ResponseLimits(),
        hop: Int = 0,
        now: Int64
    ) -> ResumeDecision {
        let judge = ResponseJudge(
            held: held,
            request: request,
            head: head,
            history: history,
            limits: limits,
            hop: hop,
            now: now,
            agreement: held.validator?.agreement(with: head) ?? .unknown,
            // 10: beside a transfer coding the field counts for nothing.
            contentLength: head.overridesContentLength ? .absent : head.contentLength
        )
        return judge.decision
    }

    /// What follows when the bytes to be compared differ from those on disk (39, 42).
    package static func overlapDiffers(history: ResumeHistory) -> ResumeDecision {
        restart(for: .overlapDiffers, history)
    }

    /// Once for each cause: what is there again after a fresh start would be there for ever.
    static func restart(for cause: RestartCause, _ history: ResumeHistory) -> ResumeDecision {
        history.contains(.restart(cause)) ? .fail(ResponseFault(.restartedInVain(cause))) : .restart(cause)
    }
}
