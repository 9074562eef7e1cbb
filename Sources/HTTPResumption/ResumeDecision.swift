package import SpateHTTPSyntax

/// What to do with a response, given the request and the bytes on disk.
package enum ResumeDecision: Hashable, Sendable {
    /// Write the body.
    case write(AcceptedBody)
    /// The file on disk is proven to be complete, with this size.
    case complete(total: Int64)
    /// The server still has the entity of the finished file. Drop the bytes of any other entity.
    case unchanged
    /// Record the step, discard the body, keep the bytes on disk, and send this request. It goes to the original URL
    /// if the step is `originalURL`, and to the same URL otherwise.
    case ask(RangeRequest, ResumeHistory.Step)
    /// Record the cause, drop the bytes on disk, and request the whole entity.
    case restart(RestartCause)
    case fail(ResponseFault)

    /// Judges a response by its head.
    ///
    /// - Parameters:
    ///   - held: The bytes on disk.
    ///   - request: The request, made for the same bytes.
    ///   - head: The response. `RedirectRules` judges redirects; here they are a fault.
    ///   - history: The steps taken before this request.
    ///   - limits: The caller's limits.
    ///   - hop: The number of redirects between the original URL and the answering one, in this attempt or an
    ///     earlier one.
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
            // A transfer coding overrides Content-Length.
            contentLength: head.overridesContentLength ? .absent : head.contentLength
        )
        return judge.decision
    }

    /// The decision if the overlap differs from the bytes on disk.
    package static func overlapDiffers(from held: HeldBytes, history: ResumeHistory) -> ResumeDecision {
        restart(for: .overlapDiffers, of: held, history)
    }

    /// Restarts once for each cause: a cause that survives a restart would recur forever. Another source must not drop
    /// the origin's bytes, and none may drop bytes that checksums prove: the whole is asked for to fill their gaps.
    static func restart(for cause: RestartCause, of held: HeldBytes, _ history: ResumeHistory) -> ResumeDecision {
        if held.arePieces, cause != .otherTotal, !history.contains(.withoutRange) {
            return .ask(.whole, .withoutRange)
        }
        if held.isProtected || held.arePieces { return .fail(ResponseFault(.otherSource(cause))) }
        return history.contains(.restart(cause)) ? .fail(ResponseFault(.repeatedRestart(cause))) : .restart(cause)
    }
}
