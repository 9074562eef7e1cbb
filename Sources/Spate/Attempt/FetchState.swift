import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// What a fetch knows between its steps, and how each step changes it.
struct FetchState {
    /// What follows when the present response has ended.
    private enum Next {
        /// No head has come.
        case nothing
        case write(BodyWriter)
        case send
        case publish(size: Int64)
        case keepFinished
        /// The bytes are not those that another connection has brought.
        case differs
        case fail(Fetch.Failure)
    }

    /// What follows the end of a transfer.
    enum Conclusion {
        case send
        case publish(size: Int64)
        /// The finished file is still what the server has.
        case unchanged
        /// The bytes are not those that another connection has brought.
        case differs
        /// `nil` if the transfer was cancelled.
        case end(Fetch.Failure?)
    }

    private let file: PartialFile
    private let download: Download
    private let surroundings: Surroundings
    let requests: FetchRequest
    private let longestWait: Duration
    private let mirror: HTTPURL?
    private(set) var route: RequestRoute
    private var range: RangeRequest
    /// Whether a request ends with the gap that it is for. Not after an answer that ended earlier.
    private var namesEnds = true
    private var bytes: FetchedBytes
    private(set) var history: ResumeHistory
    private var next = Next.nothing
    private(set) var remarks: [DownloadRemark] = []
    /// Whether the first byte of the present body was accepted; set by the step that accepts it alone.
    private(set) var hasStarted = false
    private var sent: ContinuousClock.Instant
    /// The whole, if others may fetch parts of it.
    private var divisible: DivisibleFile?
    /// Where else the file is, as the present response says.
    private(set) var duplicates: [HTTPURL] = []
    /// What the file comes from: the latest response that was good for it.
    private var answer: (url: HTTPURL, head: ResponseHead)?
    /// The connections among which the rest of the file is divided.
    var group: ConnectionGroup?

    init(_ attempt: Attempt, _ file: PartialFile, _ requests: FetchRequest, history: ResumeHistory) {
        self.file = file
        self.history = history
        download = attempt.download
        surroundings = attempt.manager.surroundings
        sent = surroundings.runtime.now
        self.requests = requests
        longestWait = attempt.manager.configuration.retry.longestWait
        route = requests.route
        mirror = attempt.mirror
        bytes = FetchedBytes(attempt, file)
        range = .first(for: bytes.held, history: history, unless: attempt.askedAbout)
    }

    private var request: DownloadRequest { download.enqueuedRequest }

    private var held: HeldBytes { bytes.held }

    /// The size of the whole file, if it is known.
    var total: Int64? { held.total }

    /// Where the next byte of the body belongs.
    var position: Int64 {
        if case .write(let writer) = next { writer.position } else { held.length }
    }

    /// The digest that the server states of the file.
    var stated: StatedDigest? { held.digest }

    /// The whole, if others may fetch parts of it now: not before the bytes that are compared have shown to be the same.
    var divisibleNow: DivisibleFile? { isComparing ? nil : divisible }

    /// Whether the body has only brought bytes that were there already.
    var isComparing: Bool {
        if case .write(let writer) = next { writer.isComparing } else { false }
    }

    /// Whether all of the body has come.
    var isWhole: Bool {
        if case .write(let writer) = next { writer.isWhole } else { false }
    }

    /// Set if the present response says that the host is asked too much.
    var refusal: HostRestraint.Refusal? {
        if case .fail(let failure) = next { failure.refusal } else { nil }
    }

    var response: KeptResponse? { answer.map { KeptResponse(url: $0.url, head: $0.head) } }

    // MARK: The request

    mutating func nextRequest() -> TransportRequest {
        next = .nothing
        hasStarted = false
        divisible = nil
        sent = surroundings.runtime.now
        return requests.transportRequest(for: range, until: namesEnds ? gapEnd : nil, at: route.address)
    }

    /// Where the request for the first gap ends: what follows the gap is compared.
    private var gapEnd: Int64? {
        held.gapEnd.map { min($0 + RangeRequest.seamLength, held.total ?? .max) }
    }

    /// The next request is for this range, at the same address.
    private mutating func ask(for range: RangeRequest) {
        self.range = range
        route.beginRequest()
        next = .send
    }

    // MARK: The head

    /// Decides what the response is good for.
    mutating func receive(_ head: ResponseHead) -> BodyDisposition {
        duplicates = []
        if RedirectPolicy.isRedirect(head.status) {
            do throws(DownloadError) {
                try route.follow(head, allowsInsecure: request.allowsInsecureRedirects)
                next = .send
            } catch {
                fail(error)
            }
            return .discard
        }
        let decision = ResumeDecision.decide(
            held: held,
            request: range,
            head: head,
            history: history,
            limits: ResponseLimits(request, originTotal: mirror == nil ? nil : download.originTotal),
            hop: route.hop,
            now: surroundings.runtime.wallClock().components.seconds
        )
        let disposition = follow(decision, head)
        if case .write(let body) = decision {
            if case .write = next, !history.contains(.alone), head.servesParts {
                divisible = DivisibleFile(body, route: route, answer: surroundings.runtime.now - sent)
            }
            // Only the origin knows where else its file is, and only with the file.
            if mirror == nil, case .write = next {
                duplicates = DuplicateLinks.urls(
                    in: head.fields,
                    from: route.address,
                    allowsInsecure: request.allowsInsecureRedirects
                )
            }
        }
        return disposition
    }

    private mutating func follow(_ decision: ResumeDecision, _ head: ResponseHead) -> BodyDisposition {
        switch decision {
        case .write, .complete, .unchanged: answer = (route.address, head)
        case .ask, .restart, .fail: break
        }
        switch decision {
        case .write(let body):
            if bytes.mustShrink(for: body) {
                fail(.changedMeanwhile(route.shown))
                return .stop
            }
            do throws(FileSystemError) {
                try bytes.accept(body, head)
                remarks = DownloadRemark.remarks(of: body, named: file.location.finalName)
                next = .write(BodyWriter(body, file: file, maximumBytes: request.maximumBytes))
                // While bytes are compared nothing is certain: this response may still start over.
                hasStarted = body.comparing == 0
                return .deliver
            } catch {
                fail(DownloadError(writing: error))
                return .stop
            }
        case .complete(let total):
            next = .publish(size: total)
        case .unchanged:
            next = .keepFinished
            // The body of a 200 is the file that is here.
            if head.status != 304 { return .stop }
        case .ask(let range, let step):
            history.record(step)
            if step == .originalURL { route.returnToOrigin() }
            ask(for: range)
        case .restart(let cause):
            restart(because: cause)
        case .fail(let fault):
            fail(fault)
            if !fault.trustsFraming { return .stop }
        }
        return .discard
    }

    private mutating func fail(_ fault: ResponseFault) {
        if !fault.keepsPartial { drop() }
        var failure = Fetch.Failure(DownloadError(fault, url: route.shown))
        failure.retryAfter = fault.retryAfter.map { min(.seconds($0), longestWait) }
        failure.refusal = HostRestraint.Refusal(fault, at: route.address, wait: failure.retryAfter)
        if case .status(403) = fault.reason { blameHelpers(for: &failure) }
        if failure.refusal != nil { blameHelpers(for: &failure) }
        next = .fail(failure)
    }

    /// A server may refuse a client that has had several connections. Then one goes on, as soon as it may.
    private mutating func blameHelpers(for failure: inout Fetch.Failure) {
        let host = route.address.origin
        let now = surroundings.runtime.now
        guard history.contains(.helped), surroundings.lessons.withLock({ $0.blameHelpers(host, now: now) }) else {
            return
        }
        history.record(.alone)
        failure.error.isRetryable = true
    }

    private mutating func fail(_ error: DownloadError) {
        next = .fail(Fetch.Failure(error))
    }

    // MARK: The body

    /// Writes bytes of the body; false when no more are wanted.
    mutating func receive(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        guard case .write(var writer) = next else { return false }
        // The writer is changed in place: two copies of it would be two counts of what was written.
        next = .nothing
        hasStarted = false
        let wasComparing = writer.isComparing
        do throws(BodyWriter.Fault) {
            defer { next = .write(writer) }
            try writer.write(piece, isLast: isLast)
        } catch {
            refuse(error, writer)
            return false
        }
        hasStarted = wasComparing && !writer.isComparing
        return true
    }

    private mutating func refuse(_ fault: BodyWriter.Fault, _ writer: BodyWriter) {
        if case .differs = fault {
            // The others still write to the file.
            if group != nil { next = .differs } else { dropDifferentBytes() }
            return
        }
        holdWhatWasWritten()
        switch fault {
        case .differs: break
        case .tooLarge(let limit): fail(.tooLarge(limit: limit, url: route.shown))
        case .moreThanExpected(let size): fail(.moreThanExpected(size, url: route.shown))
        case .disk(let error): fail(DownloadError(writing: error))
        case .surplus:
            let isWhole = held.total.map { held.length >= $0 } ?? true
            if isWhole { next = .publish(size: held.length) } else { askForRest() }
        }
    }

    /// The rest is asked for next.
    private mutating func holdWhatWasWritten() {
        if bytes.holdWhatWasWritten() { history.noteProgress() }
    }

    private mutating func askForRest() {
        ask(for: .first(for: held, history: history))
    }

    // MARK: The end

    mutating func conclude(_ end: TransferEnd) -> Conclusion {
        if case .cancelled = end { return .end(nil) }
        if case .write(let writer) = next {
            let (before, gapEnd) = (held.length, held.gapEnd)
            holdWhatWasWritten()
            // Of a whole of unknown size the server has to say that nothing follows.
            let mayLackMore = held.total.map { held.length < $0 } ?? !writer.body.startsOver
            switch end {
            case .failed(let error): next = .fail(failure(error))
            case .complete where writer.isWhole && !mayLackMore: next = .publish(size: held.length)
            // The range was a part of the rest. A server that sends nothing new could go on like this for ever.
            case .complete where writer.isWhole && held.length > before:
                if let gapEnd, writer.position < gapEnd { namesEnds = false }
                askForRest()
            case .needsHTTP1 where held.total == held.length: next = .publish(size: held.length)
            case .needsHTTP1: askForRest()
            case .complete, .stopped, .cancelled:
                fail(.incomplete(received: held.length, total: held.total, url: route.shown))
            }
        }
        switch next {
        case .send: return .send
        case .publish(let size): return .publish(size: size)
        case .keepFinished: return .unchanged
        case .differs: return .differs
        case .fail(let failure): return .end(failure)
        case .nothing, .write:
            var failure = Fetch.Failure(.noResponse(from: route.shown, at: route.address))
            if case .failed(let error) = end { failure = self.failure(error) }
            if failure.error.isRetryable { blameHelpers(for: &failure) }
            return .end(failure)
        }
    }

    private mutating func failure(_ error: TransportError) -> Fetch.Failure {
        var failure = DownloadError(error, url: route.shown, at: route.address)
        // One more try after malformed chunks: a server that always sends them will not change.
        if error.kind == .malformedChunks {
            if history.contains(.malformedChunks) { failure.isRetryable = false }
            history.record(.malformedChunks)
        }
        return Fetch.Failure(failure)
    }

    // MARK: Beside others

    /// Others may fetch parts of the file from now on.
    mutating func join(_ group: ConnectionGroup) {
        self.group = group
        divisible = nil
    }

    /// - Parameter staysAlone: whether later requests, and attempts, get no help either.
    mutating func leaveGroup(hadHelp: Bool, staysAlone: Bool) {
        group = nil
        if staysAlone { history.record(.alone) }
        if hadHelp {
            bytes.isJoined = true
            history.record(.helped)
        }
    }

    /// The file is not to be divided.
    mutating func staysAlone() {
        divisible = nil
    }

    /// The others have ended: asks for what is missing.
    mutating func goOnAlone() {
        holdWhatWasWritten()
        askForRest()
    }

    // MARK: Starting over

    /// Its bytes and those of others do not belong together. Returns what follows.
    mutating func beginAnew() -> Conclusion {
        dropDifferentBytes()
        return conclude(.stopped)
    }

    /// What was brought by several requests does not belong together: one brings the file anew, once.
    private mutating func dropDifferentBytes() {
        let decision = ResumeDecision.overlapDiffers(from: held, history: history)
        if held.validator?.strong != nil { history.record(.alone) }
        switch decision {
        case .restart(let cause): restart(because: cause)
        case .fail(let fault): fail(fault)
        default: break
        }
    }

    /// Drops the bytes and asks for the whole at the origin: where redirects led may be good for one response only.
    private mutating func restart(because cause: RestartCause) {
        history.record(.restart(cause))
        let endsAttempt = bytes.hasAdvanced
        drop()
        route.returnToOrigin()
        if endsAttempt { fail(.changedMeanwhile(route.shown)) } else { ask(for: .whole) }
    }

    private mutating func drop() {
        next = .nothing
        bytes.drop()
    }

    /// Drops a complete file that is the wrong one; true if another attempt may bring the right one: it was not dropped for
    /// that before, and was joined from several responses, or the server itself says that it is another.
    mutating func dropWrongFile(isStated: Bool) -> Bool {
        let isWorthATry = (bytes.isJoined || isStated) && !history.contains(.restart(.otherChecksum))
        if isWorthATry {
            history.record(.restart(.otherChecksum))
            history.record(.alone)
        }
        drop()
        return isWorthATry
    }
}
