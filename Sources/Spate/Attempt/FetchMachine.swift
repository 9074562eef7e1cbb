import HTTPResumption
import HTTPTransport
import PartialFiles

/// The rules by which an attempt fetches a file: what each response leads to, which connection asks for what, and what
/// their ends mean.
///
/// It has no clock, no lock, and does nothing itself: each event says when it happens and what the file has by then, and
/// returns what is to be done.
struct FetchMachine {
    typealias Time = ContinuousClock.Instant

    /// When something happens, and what the file has by then.
    struct Moment {
        let time: Time
        let filled: FilledRanges
    }

    /// What an attempt does because of what its connections report.
    enum Action {
        /// Ask for a part on another connection.
        ///
        /// - Parameter isOnly: whether there is no other, so that it takes the place of the first.
        case open(Int, isOnly: Bool)
        case cancel(any Transfer)
        /// Tell how many connections are open.
        case report
    }

    /// What follows where a connection is to send a request.
    enum Sending {
        case request(Ask)
        case nothing(FetchFailure?)
    }

    /// A request that is to be sent.
    struct Ask {
        let request: Int
        let role: Connection.Role
        let range: RangeRequest
        let end: Int64?
        let route: RequestRoute
    }

    /// What an accepted body begins.
    struct Beginning {
        let address: HTTPURL
        let total: Int64?
        let stated: StatedDigest?
    }

    /// What a response is good for.
    enum Judgement {
        case discard
        case stop
        /// The file is cut and its record changed, before the body is written.
        case accept(AcceptedBody, cutTo: Int64?)
        /// The body is of a part. Nothing precedes it.
        case write(AcceptedBody)
    }

    /// What follows the end of a transfer.
    enum Step {
        /// The connection sends another request.
        case sendsAgain
        /// The connection of a divided file has ended.
        case ended(Connection.End)
        case concluded(Conclusion)
    }

    /// What follows when the first connection has ended, and no other fetches a part.
    enum Conclusion {
        case send
        case publish(size: Int64)
        /// The finished file is still what the server has.
        case unchanged
        /// `nil` if the transfer was cancelled.
        case end(FetchFailure?)
    }

    private let allowsInsecure: Bool
    private let longestWait: Duration
    var first: Connection
    var parts: [Connection] = []
    /// How the file is divided, while it is.
    var division: Division?
    private var bytes: FetchedBytes
    private(set) var history: ResumeHistory
    private(set) var remarks: [DownloadRemark] = []
    /// What the file comes from: the latest response that was good for it.
    private var answer: (url: HTTPURL, head: ResponseHead)?
    private var requestCount = 0
    var budget: RequestBudget
    /// How often the file was divided.
    var divisionCount = 0

    /// What the first connection asks for.
    private var range: RangeRequest
    /// Whether a request ends with the gap that it is for. Not after an answer that ended earlier.
    private var namesEnds = true
    private var sent: Time
    /// The whole, if others may fetch parts of it.
    private var divisible: DivisibleFile?
    /// Whether what is on disk is to be dropped, before anything else is done.
    private var drops = false

    init(
        _ bytes: FetchedBytes,
        _ route: RequestRoute,
        askedAbout finished: FinishedEntity?,
        allowsInsecure: Bool,
        longestWait: Duration,
        history: ResumeHistory,
        budget: RequestBudget,
        now: Time
    ) {
        (self.bytes, self.history, self.budget) = (bytes, history, budget)
        (self.allowsInsecure, self.longestWait) = (allowsInsecure, longestWait)
        first = Connection(0, .first, route)
        sent = now
        range = .first(for: bytes.held, history: history, unless: finished)
    }

    var held: HeldBytes { bytes.held }

    var response: KeptResponse? { answer.map { KeptResponse(url: $0.url, head: $0.head) } }

    /// What the present body begins, for those who show it.
    var beginning: Beginning { Beginning(address: first.route.address, total: held.total, stated: held.digest) }

    /// Whether others may fetch parts of the file.
    var isDivisible: Bool { divisible != nil }

    mutating func takeDivisible() -> DivisibleFile? { divisible.take() }

    /// Whether there is something to drop; the caller then says ``dropped(isGone:)``.
    mutating func takeDrop() -> Bool {
        defer { drops = false }
        return drops
    }

    mutating func dropped(isGone: Bool) {
        bytes.dropped(isGone: isGone)
    }

    // MARK: Requests

    subscript(id: Int) -> Connection? { id == 0 ? first : parts.first { $0.id == id } }

    /// Changes a connection; `nil` if there is none of that number.
    @discardableResult
    mutating func change<Result>(_ id: Int, _ body: (inout Connection) -> Result) -> Result? {
        if id == 0 { return body(&first) }
        guard let index = parts.firstIndex(where: { $0.id == id }) else { return nil }
        return body(&parts[index])
    }

    /// The next request of a connection.
    mutating func nextRequest(of id: Int, _ moment: Moment) -> Sending {
        requestCount += 1
        let number = requestCount
        guard let isBegun = change(id, { $0.begin(request: number) }), isBegun, let connection = self[id] else {
            return .nothing(nil)
        }
        guard connection.route.isRedirect || budget.take(filled: moment.filled.count) else {
            var failure = FetchFailure(.tooManyRequests(for: connection.route.shown))
            failure.isFutile = true
            return .nothing(failure)
        }
        let (asked, end): (RangeRequest, Int64?)
        switch connection.role {
        case .first:
            (divisible, sent) = (nil, moment.time)
            (asked, end) = (range, namesEnds ? gapEnd : nil)
        case .part(let part):
            asked = .tail(from: PartDecision.start(of: part), ifRange: division?.divisible.held.validator?.strong)
            division?.hadHelp = true
            end = part.upperBound
        }
        return .request(Ask(request: number, role: connection.role, range: asked, end: end, route: connection.route))
    }

    /// Where the request for the first gap ends: what follows the gap is compared.
    private var gapEnd: Int64? {
        held.gapEnd.map { min($0 + RangeRequest.seamLength, held.total ?? .max) }
    }

    /// The next request is for this range, at the same address.
    private mutating func ask(for range: RangeRequest) {
        self.range = range
        first.route.beginRequest()
        first.next = .send
    }

    private mutating func askForRest() {
        ask(for: .first(for: held, history: history))
    }

    /// All transfers that run.
    var transfers: [any Transfer] { (parts + [first]).compactMap(\.running) }

    // MARK: Heads

    /// Decides what the response to a connection's request is good for.
    mutating func judge(
        _ head: ResponseHead,
        of id: Int,
        limits: ResponseLimits,
        date: Int64,
        _ moment: Moment
    ) -> Judgement {
        if RedirectPolicy.isRedirect(head.status) {
            let allowsInsecure = allowsInsecure
            change(id) { $0.follow(head, allowsInsecure: allowsInsecure) }
            return .discard
        }
        switch self[id]?.role {
        case .first: return judge(head, limits: limits, date: date, moment)
        case .part(let range):
            guard let held = division?.divisible.held else { return .stop }
            let wait = longestWait
            let body = change(id) {
                $0.judgePart(head, of: range, held: held, limits: limits, longestWait: wait, now: date)
            }
            if case .some(.some(let body)) = body { return .write(body) }
            return head.status == 206 || head.status == 200 ? .stop : .discard
        case nil: return .stop
        }
    }

    private mutating func judge(
        _ head: ResponseHead,
        limits: ResponseLimits,
        date: Int64,
        _ moment: Moment
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
        switch decision {
        case .write, .complete, .unchanged: answer = (first.route.address, head)
        case .ask, .restart, .fail: break
        }
        switch decision {
        case .write(let body):
            if bytes.mustShrink(for: body, moment.filled) {
                fail(.changedMeanwhile(first.route.shown))
                return .stop
            }
            first.next = .write
            return .accept(body, cutTo: bytes.cut(for: body, moment.filled))
        case .complete(let total):
            first.next = .publish(size: total)
        case .unchanged:
            first.next = .keepFinished
            // The body of a 200 is the file that is here.
            if head.status != 304 { return .stop }
        case .ask(let range, let step):
            history.record(step)
            if step == .originalURL { first.route.returnToOrigin() }
            ask(for: range)
        case .restart(let cause):
            restart(because: cause, moment.filled)
        case .fail(let fault):
            fail(fault, now: moment.time)
            if !fault.trustsFraming { return .stop }
        }
        return .discard
    }

    /// Set if the present response to a connection says that its host is asked too much.
    func refusal(of id: Int) -> HostRestraint.Refusal? {
        switch self[id]?.next {
        case .fail(let failure): return failure.refusal
        case .refused(.busy(let wait)):
            guard wait > .zero, let host = division?.host else { return nil }
            return HostRestraint.Refusal(host: host, wait: wait, isOfHost: true)
        default: return nil
        }
    }

    /// The file is ready for a body of the first connection. Returns what that begins.
    mutating func accepted(
        _ body: AcceptedBody,
        _ head: ResponseHead,
        named name: String,
        _ moment: Moment
    ) -> Beginning {
        bytes.accepted(body, moment.filled)
        remarks = DownloadRemark.remarks(of: body, named: name)
        if !history.contains(.alone), head.servesParts {
            divisible = DivisibleFile(body, route: first.route, answer: moment.time - sent)
        }
        return beginning
    }

    private mutating func fail(_ fault: ResponseFault, now: Time) {
        if !fault.keepsPartial { drop() }
        let address = first.route.address
        var failure = FetchFailure(DownloadError(fault, url: first.route.shown))
        failure.retryAfter = fault.retryAfter.map { min(.seconds($0), longestWait) }
        failure.refusal = HostRestraint.Refusal(fault, at: address, wait: failure.retryAfter)
        let isForbidden = if case .status(403) = fault.reason { true } else { false }
        if isForbidden || failure.refusal != nil { failure.suspicion = suspicion(now) }
        first.next = .fail(failure)
    }

    /// A server may refuse a client that has had several connections. Then one goes on, as soon as it may.
    private func suspicion(_ now: Time) -> (HTTPOrigin, Time)? {
        history.contains(.helped) ? (first.route.address.origin, now) : nil
    }

    /// The suspicion of a failure was right.
    mutating func goesOnAlone() {
        history.record(.alone)
    }

    mutating func fail(_ error: DownloadError) {
        first.next = .fail(FetchFailure(error))
    }

    // MARK: Ends

    /// The transfer of a connection has ended.
    mutating func ended(_ id: Int, _ finish: Connection.Finish, _ moment: Moment) -> Step {
        change(id) { $0.ended() }
        if division == nil { return .concluded(conclude(finish, moment)) }
        if id != 0, case .send = self[id]?.next, mayGoOn(id) { return .sendsAgain }
        return .ended(end(of: id, finish, moment))
    }

    /// What follows the end of a transfer of the first connection.
    mutating func conclude(_ finish: Connection.Finish, _ moment: Moment) -> Conclusion {
        if let fault = finish.fault { refuse(fault, moment.filled) }
        if case .cancelled = finish.end { return .end(nil) }
        if case .write = first.next, let body = finish.body { conclude(finish.end, body, moment.filled) }
        switch first.next {
        case .send: return .send
        case .publish(let size): return .publish(size: size)
        case .keepFinished: return .unchanged
        case .fail(let failure): return .end(failure)
        case .nothing, .write, .refused:
            var failure = FetchFailure(first.noResponse)
            if case .failed(let error) = finish.end { failure = self.failure(error) }
            if failure.error.isRetryable { failure.suspicion = suspicion(moment.time) }
            return .end(failure)
        }
    }

    private mutating func conclude(_ end: TransferEnd, _ body: Connection.Body, _ filled: FilledRanges) {
        let (before, gapEnd) = (held.length, held.gapEnd)
        hold(filled)
        // Of a whole of unknown size the server has to say that nothing follows.
        let mayLackMore = held.total.map { held.length < $0 } ?? !body.startsOver
        switch end {
        case .failed(let error): first.next = .fail(failure(error))
        case .complete where body.isWhole && !mayLackMore: first.next = .publish(size: held.length)
        // The range was a part of the rest. A server that sends nothing new could go on like this for ever.
        case .complete where body.isWhole && held.length > before:
            if let gapEnd, body.position < gapEnd { namesEnds = false }
            askForRest()
        case .needsHTTP1 where held.total == held.length: first.next = .publish(size: held.length)
        case .needsHTTP1: askForRest()
        case .complete, .stopped, .cancelled:
            fail(.incomplete(received: held.length, total: held.total, url: first.route.shown))
        }
    }

    /// The body could not be written on.
    private mutating func refuse(_ fault: BodyWriter.Fault, _ filled: FilledRanges) {
        if case .differs = fault { return dropDifferentBytes(filled) }
        hold(filled)
        switch fault {
        case .differs: break
        case .tooLarge(let limit): fail(.tooLarge(limit: limit, url: first.route.shown))
        case .moreThanExpected(let size): fail(.moreThanExpected(size, url: first.route.shown))
        case .disk(let error): fail(DownloadError(writing: error))
        case .surplus:
            let isWhole = held.total.map { held.length >= $0 } ?? true
            if isWhole { first.next = .publish(size: held.length) } else { askForRest() }
        }
    }

    mutating func failure(_ error: TransportError) -> FetchFailure {
        var failure = DownloadError(error, url: first.route.shown, at: first.route.address)
        // One more try after malformed chunks: a server that always sends them will not change.
        if error.kind == .malformedChunks {
            if history.contains(.malformedChunks) { failure.isRetryable = false }
            history.record(.malformedChunks)
        }
        return FetchFailure(failure)
    }

    private mutating func hold(_ filled: FilledRanges) {
        if bytes.hold(filled) { history.noteProgress() }
    }

    // MARK: After others have helped

    /// - Parameter staysAlone: whether later requests, and attempts, get no help either.
    mutating func leaveDivision(hadHelp: Bool, staysAlone: Bool) {
        division = nil
        if staysAlone { history.record(.alone) }
        if hadHelp {
            bytes.isJoined = true
            history.record(.helped)
        }
    }

    /// The others have ended: asks for what is missing.
    mutating func goOnAlone(_ filled: FilledRanges) {
        hold(filled)
        askForRest()
    }

    /// The bytes of several connections do not belong together. All have ended.
    mutating func beginAnew(_ filled: FilledRanges) -> Conclusion {
        dropDifferentBytes(filled)
        if case .fail(let failure) = first.next { return .end(failure) }
        return .send
    }

    // MARK: Starting over

    /// What was brought by several requests does not belong together: one brings the file anew, once.
    private mutating func dropDifferentBytes(_ filled: FilledRanges) {
        let decision = ResumeDecision.overlapDiffers(from: held, history: history)
        if held.validator?.strong != nil { history.record(.alone) }
        switch decision {
        case .restart(let cause): restart(because: cause, filled)
        case .fail(let fault): fail(DownloadError(fault, url: first.route.shown), dropping: !fault.keepsPartial)
        default: break
        }
    }

    private mutating func fail(_ error: DownloadError, dropping: Bool) {
        if dropping { drop() }
        fail(error)
    }

    /// Drops the bytes and asks for the whole at the origin: where redirects led may be good for one response only.
    private mutating func restart(because cause: RestartCause, _ filled: FilledRanges) {
        history.record(.restart(cause))
        let endsAttempt = bytes.hasAdvanced(filled)
        drop()
        first.route.returnToOrigin()
        if endsAttempt { fail(.changedMeanwhile(first.route.shown)) } else { ask(for: .whole) }
    }

    private mutating func drop() {
        drops = true
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
