import SpateFilePaths
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHosts
import SpatePartialFiles
import SpateSplitting

/// Handles the head of a response.
extension FetchMachine {
    /// What to do with the body of a response.
    enum Judgement {
        case discard
        case stop
        /// Truncate the file if needed and update its record, then write the body.
        case accept(AcceptedBody, cutTo: Int64?)
        /// Write the body of a part.
        case write(AcceptedBody)
    }

    /// Judges a response by its head.
    mutating func judge(
        _ head: ResponseHead,
        of id: Int,
        limits: ResponseLimits,
        date: Int64,
        _ moment: Moment
    ) -> (Judgement, [Action]) {
        if RedirectRules.isRedirect(head.status) {
            let redirects = redirects
            change(id) { $0.follow(head, by: redirects) }
            return (.discard, [])
        }
        var actions: [Action] = []
        let judgement =
            id == 0
            ? judge(head, limits: limits, date: date, moment, &actions)
            : judgePart(head, of: id, limits, date: date, moment, &actions)
        // Notify others at once: the body of the refusal may take long.
        if let refusal = refusal(of: id) { actions.append(.note(refusal, isOfFirst: id == 0)) }
        return (judgement, actions)
    }

    private mutating func judgePart(
        _ head: ResponseHead,
        of id: Int,
        _ limits: ResponseLimits,
        date: Int64,
        _ moment: Moment,
        _ actions: inout [Action]
    ) -> Judgement {
        guard let held = division?.divisible.held else { return .stop }
        let wait = longestWait
        let body = change(id) { $0.judgePart(head, held: held, limits: limits, longestWait: wait, now: date) }
        if let body = body ?? nil {
            answered(id, moment)
            return .write(body)
        }
        if let connection = self[id], connection.isAtChosenAddress, case .refused(.useless) = connection.next {
            // It says nothing about the address of the other connections.
            change(id) { $0.next = .refused(.failed) }
            actions.append(.distrust(connection.route.address.origin))
        }
        return head.status == 206 || head.status == 200 ? .stop : .discard
    }

    private mutating func judge(
        _ head: ResponseHead,
        limits: ResponseLimits,
        date: Int64,
        _ moment: Moment,
        _ actions: inout [Action]
    ) -> Judgement {
        let decision = ResumeDecision.decide(
            held: held,
            request: range,
            head: head,
            history: history,
            limits: limits,
            hop: first.route.hop,
            now: date
        )
        if isForeign(decision, status: head.status, moment.filled) {
            actions.append(.distrust(first.route.address.origin))
            first.returnToName()
            return .stop
        }
        switch decision {
        case .write, .complete, .unchanged:
            response = KeptResponse(url: first.route.address, head: head)
            servesParts = head.servesParts
        case .ask, .restart, .fail: break
        }
        switch consume decision {
        case .write(let body):
            if let asked {
                answer(asked.answer(in: head, body))
                return .stop
            }
            if bytes.mustShrink(for: body, moment.filled) {
                if isProvingEnd { rangeIsIgnored(limits) } else { fail(.changedMeanwhile) }
                return .stop
            }
            if !mayProveEnd(of: body, head, &actions) { return .stop }
            if let link = metalink(of: body, head) {
                first.next = .readMetalink(link)
                return .stop
            }
            first.next = .write
            return .accept(body, cutTo: bytes.cut(for: body, moment.filled))
        case .complete(let total):
            first.next = .publish(size: total)
        case .unchanged:
            first.next = .keepFinished(isProven: true)
            // The body of a 200 would be the file that we have.
            if head.status != 304 { return .stop }
        case .ask(let range, let step):
            history.record(step)
            if step == .originalURL { first.route.returnToOrigin() }
            ask(for: range)
        case .restart(let cause):
            actions += restart(because: cause, moment.filled)
        case .fail(let fault):
            if !fault.keepsPartial { actions.append(.drop) }
            if !fault.isRetryable { history.noteRefusal() }
            fail(fault, now: moment.time)
            if !fault.trustsFraming { return .stop }
        }
        return .discard
    }

    /// The Metalink to read before this body. Only the first body can name it.
    private mutating func metalink(of body: AcceptedBody, _ head: ResponseHead) -> MetalinkLink? {
        guard looksForMetalink else { return nil }
        looksForMetalink = false
        let (route, fields) = (first.route, head.fields)
        return FileLinks.metalink(in: fields, from: route.address, allowsInsecure: redirects.allowsInsecure).map {
            MetalinkLink(route: route.toOther($0), source: route.address, size: body.total)
        }
    }

    private mutating func answer(_ answer: AskedFile.Answer) {
        switch answer {
        case .same: first.next = .keepFinished(isProven: true)
        case .other: fail(.outdated)
        case .unknown: first.next = .keepFinished(isProven: false)
        }
    }

    /// Set if the present response of a connection was a 429 or 503.
    private func refusal(of id: Int) -> HostRestraint.Refusal? {
        if id == 0 {
            if case .fail(let failure) = first.next { return failure.refusal }
            return nil
        }
        guard case .refused(.busy(let wait)) = self[id]?.next, wait > .zero, let host = division?.host else {
            return nil
        }
        return HostRestraint.Refusal(host: host, wait: wait, isOfHost: true)
    }

    private mutating func fail(_ fault: ResponseFault, now: Time) {
        let address = first.route.address
        var failure = FetchFailure(DownloadError(fault, at: first.route.elsewhere))
        failure.retryAfter = fault.retryAfter.map { min(.seconds($0), longestWait) }
        failure.refusal = HostRestraint.Refusal(fault, at: address, wait: failure.retryAfter)
        let isForbidden = if case .status(403) = fault.reason { true } else { false }
        if isForbidden || failure.refusal != nil { failure.suspicion = suspicion(now) }
        first.next = .fail(failure)
    }

    /// The file is ready for a body of the first connection. Returns what to report, unless the overlap is compared
    /// first: the response may still prove to be another file.
    ///
    /// - Parameter name: the final name that it will get, if the body is a page.
    mutating func accepted(
        _ body: AcceptedBody,
        _ head: ResponseHead,
        named name: FilePath?,
        _ moment: Moment
    ) -> Beginning? {
        bytes.accepted(body, moment.filled)
        isComparing = body.comparing > 0
        notePace(of: body, head, moment.time)
        remarks = DownloadRemark.remarks(of: body, named: name)
        // The size first: most files are too small.
        if let total = body.total, total >= SegmentPlan.leastSize, !history.contains(.alone), head.servesParts {
            divisible = DivisibleFile(body, route: first.route, answer: moment.time - sent)
        }
        return isComparing ? nil : beginning(filled: moment.filled.count)
    }

    /// What the present response said about the file.
    func beginning(filled: Int64) -> Beginning {
        Beginning(
            filled: filled,
            total: bytes.held.total,
            response: response,
            stated: bytes.held.digest,
            isChecked: checksum.expected != nil
        )
    }
}
