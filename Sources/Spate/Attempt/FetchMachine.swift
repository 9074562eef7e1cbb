import HTTPResumption
import HTTPTransport
import PartialFiles

/// The rules by which an attempt fetches a file: what each response leads to, which connection requests what, and what
/// follows when one ends.
///
/// It has no clock and no lock, and does no I/O. Each event says when it happens and what the file has by then, and
/// returns what the attempt does next.
struct FetchMachine {
    /// Since the attempt began.
    // An instant has no size that the compiler knows. Whatever contains one is copied field by field, through metadata.
    typealias Time = Duration

    /// When something happens, and what the file has by then.
    struct Moment {
        let time: Time
        let filled: FilledRanges
    }

    /// Bytes that a connection has received.
    struct Block {
        let count: Int
        /// Where the next byte of its body belongs.
        let position: Int64
        /// Whether the file has grown by them. Bytes that are compared are no progress: if they differ, the file starts over.
        let isNew: Bool
    }

    /// What the attempt does after an event.
    enum Action {
        /// The body of the first connection has begun, and its overlap agrees.
        case begin(Beginning)
        case sync
        /// Read what has come in order for the checksum.
        case digest(FrontDigest, upTo: Int64)
        /// Try to open more connections. The first one is at `position`.
        case divide(at: Int64)
        /// Request a part on another connection.
        ///
        /// - Parameter isOnly: whether no other connection is left. Then it takes the place of the first.
        case open(Int, isOnly: Bool)
        case cancel(any Transfer)
        /// Report how many connections are open.
        case report
    }

    /// The next request of a connection, or why there is none.
    enum Sending {
        case request(Ask)
        case nothing(FetchFailure?)
    }

    /// A request for the transport.
    struct Ask {
        let request: Int
        let role: Connection.Role
        let range: RangeRequest
        let end: Int64?
        let route: RequestRoute
    }

    /// What a response said of the file, for observers and the checksum.
    struct Beginning {
        let address: HTTPURL
        let total: Int64?
        let stated: StatedDigest?
    }

    /// What to do with the body of a response.
    enum Judgement {
        case discard
        case stop
        /// Truncate the file if needed and update its record, then write the body.
        case accept(AcceptedBody, cutTo: Int64?)
        /// Write the body of a part.
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

    /// What follows when the first connection has ended and the file is not divided.
    enum Conclusion {
        case send
        case publish(size: Int64)
        /// The server still has the finished file.
        case unchanged
        /// `nil` if the transfer was cancelled.
        case end(FetchFailure?)
    }

    private let allowsInsecure: Bool
    private let longestWait: Duration
    var first: Connection
    var parts: [Connection] = []
    /// Set while several connections fetch the file.
    var division: Division?
    private var bytes: FetchedBytes
    private(set) var history: ResumeHistory
    private(set) var remarks: [DownloadRemark] = []
    /// The last accepted response.
    private var answer: (url: HTTPURL, head: ResponseHead)?
    private var requestCount = 0
    var budget: RequestBudget
    /// How often the file was divided.
    var divisionCount = 0
    var checksum: ArrivingChecksum
    private var syncs: SyncSchedule

    /// The range that the first connection requests.
    private var range: RangeRequest
    /// Whether a range request ends at the end of its gap. False once a server has sent less than that.
    private var namesEnds = true
    private var sent = Time.zero
    /// The file, if other connections may fetch parts of it.
    private var divisible: DivisibleFile?
    /// Whether the first connection compares the overlap.
    private var isComparing = false
    /// Whether the attempt has to truncate the file before it does anything else.
    private var drops = false

    init(
        _ bytes: FetchedBytes,
        _ route: RequestRoute,
        askedAbout finished: FinishedEntity?,
        allowsInsecure: Bool,
        longestWait: Duration,
        history: ResumeHistory,
        budget: RequestBudget,
        checksum: ArrivingChecksum,
        syncs: SyncSchedule
    ) {
        (self.checksum, self.syncs) = (checksum, syncs)
        (self.bytes, self.history, self.budget) = (bytes, history, budget)
        (self.allowsInsecure, self.longestWait) = (allowsInsecure, longestWait)
        first = Connection(0, .first, route)
        range = .first(for: bytes.held, history: history, unless: finished)
    }

    /// Reads or changes it in place. To read a property of an optional machine would copy all of it.
    mutating func use<Result>(_ body: (inout FetchMachine) -> Result) -> Result { body(&self) }

    var held: HeldBytes { bytes.held }

    var response: KeptResponse? { answer.map { KeptResponse(url: $0.url, head: $0.head) } }

    /// What the present response said of the file.
    private var beginning: Beginning {
        Beginning(address: first.route.address, total: held.total, stated: held.digest)
    }

    mutating func takeDivisible() -> DivisibleFile? { divisible.take() }

    /// Whether to truncate the file now. Call ``dropped(isGone:)`` afterwards.
    mutating func takeDrop() -> Bool {
        defer { drops = false }
        return drops
    }

    mutating func dropped(isGone: Bool) {
        bytes.dropped(isGone: isGone)
    }

    // MARK: Requests

    subscript(id: Int) -> Connection? { id == 0 ? first : parts.first { $0.id == id } }

    /// Changes a connection; `nil` if there is none with this number.
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
        guard
            let (role, route) = change(
                id,
                { connection in
                    connection.begin(request: number) ? (connection.role, connection.route) : nil
                }
            ) ?? nil
        else { return .nothing(nil) }
        guard route.isRedirect || budget.take(filled: moment.filled.count) else {
            var failure = FetchFailure(.tooManyRequests(for: route.shown))
            failure.isFutile = true
            return .nothing(failure)
        }
        let (asked, end): (RangeRequest, Int64?)
        switch role {
        case .first:
            (divisible, sent) = (nil, moment.time)
            (asked, end) = (range, namesEnds ? gapEnd : nil)
        case .part(let part):
            asked = .tail(from: PartDecision.start(of: part), ifRange: division?.divisible.held.validator?.strong)
            division?.hadHelp = true
            end = part.upperBound
        }
        return .request(Ask(request: number, role: role, range: asked, end: end, route: route))
    }

    /// Where the request for the first gap ends. It overlaps what follows the gap, to compare it.
    private var gapEnd: Int64? {
        held.gapEnd.map { min($0 + RangeRequest.seamLength, held.total ?? .max) }
    }

    /// Makes this range the next request, at the same address.
    private mutating func ask(for range: RangeRequest) {
        self.range = range
        first.route.beginRequest()
        first.next = .send
    }

    private mutating func askForRest() {
        ask(for: .first(for: held, history: history))
    }

    /// The running transfers.
    var transfers: [any Transfer] { (parts + [first]).compactMap(\.running) }

    // MARK: Heads

    /// Judges a response by its head.
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
        if id == 0 { return judge(head, limits: limits, date: date, moment) }
        guard let held = division?.divisible.held else { return .stop }
        let wait = longestWait
        let body = change(id) { $0.judgePart(head, held: held, limits: limits, longestWait: wait, now: date) }
        if let body = body ?? nil { return .write(body) }
        return head.status == 206 || head.status == 200 ? .stop : .discard
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
            // The body of a 200 would be the file that we have.
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

    /// Set if the present response of a connection was a 429 or 503.
    func refusal(of id: Int) -> HostRestraint.Refusal? {
        if id == 0 {
            if case .fail(let failure) = first.next { return failure.refusal }
            return nil
        }
        guard case .refused(.busy(let wait)) = self[id]?.next, wait > .zero, let host = division?.host else {
            return nil
        }
        return HostRestraint.Refusal(host: host, wait: wait, isOfHost: true)
    }

    /// The file is ready for a body of the first connection.
    mutating func accepted(
        _ body: AcceptedBody,
        _ head: ResponseHead,
        named name: String,
        _ moment: Moment
    ) -> Beginning {
        bytes.accepted(body, moment.filled)
        isComparing = body.comparing > 0
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

    /// A server may refuse a client because of its other connections. Then one connection continues (S36).
    private func suspicion(_ now: Time) -> (HTTPOrigin, Time)? {
        history.contains(.helped) ? (first.route.address.origin, now) : nil
    }

    /// Helpers were opened shortly before the failure: opens none any more.
    mutating func goesOnAlone() {
        history.record(.alone)
    }

    mutating func fail(_ error: DownloadError) {
        first.next = .fail(FetchFailure(error))
    }

    // MARK: Bytes

    /// A connection has written bytes. Returns whether it continues.
    mutating func wrote(_ id: Int, _ block: Block, _ moment: Moment) -> (goesOn: Bool, actions: [Action]) {
        var actions: [Action] = []
        if block.isNew {
            if id == 0, isComparing {
                isComparing = false
                actions.append(.begin(beginning))
            }
            if let digest = checksum.digest { actions.append(.digest(digest, upTo: moment.filled.front)) }
            if syncs.begins(after: block.count, now: moment.time) { actions.append(.sync) }
            if id == 0, divisible != nil { actions.append(.divide(at: block.position)) }
        }
        if division == nil { return (true, actions) }
        actions += advanced(id, to: block.position, moment)
        return (mayGoOn(id), actions)
    }

    /// A sync that was due has ended.
    mutating func synced() { syncs.ended() }

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
        // If the size is unknown, only a response for the whole can end the file.
        let mayLackMore = held.total.map { held.length < $0 } ?? !body.startsOver
        switch end {
        case .failed(let error): first.next = .fail(failure(error))
        case .complete where body.isWhole && !mayLackMore: first.next = .publish(size: held.length)
        // The server sent a part of the rest: ask on, but only if it sent something new.
        case .complete where body.isWhole && held.length > before:
            if let gapEnd, body.position < gapEnd { namesEnds = false }
            askForRest()
        case .needsHTTP1 where held.total == held.length: first.next = .publish(size: held.length)
        case .needsHTTP1: askForRest()
        case .complete, .stopped, .cancelled:
            fail(.incomplete(received: held.length, total: held.total, url: first.route.shown))
        }
    }

    /// Writing the body failed.
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
        // Retry once after malformed chunks: some servers always send them.
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

    /// - Parameter staysAlone: whether later attempts have one connection, too.
    mutating func leaveDivision(hadHelp: Bool, staysAlone: Bool) {
        division = nil
        if staysAlone { history.record(.alone) }
        if hadHelp {
            bytes.isJoined = true
            history.record(.helped)
        }
    }

    /// The other connections have ended. Requests what is missing.
    mutating func goOnAlone(_ filled: FilledRanges) {
        hold(filled)
        askForRest()
    }

    /// All connections have ended, and their bytes do not fit together.
    mutating func beginAnew(_ filled: FilledRanges) -> Conclusion {
        dropDifferentBytes(filled)
        if case .fail(let failure) = first.next { return .end(failure) }
        return .send
    }

    // MARK: Starting over

    /// Several responses do not fit together. One response brings the file again, once.
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

    /// Drops the bytes and requests the whole from the original URL: redirects may have led to a URL that works once.
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

    /// Drops a complete file with a wrong checksum. Returns whether another attempt may help: the file was joined from several
    /// responses, or the server itself stated the checksum, and this has not happened before.
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
