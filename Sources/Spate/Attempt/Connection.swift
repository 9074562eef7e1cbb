import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateSplitting

/// A connection of an attempt: the first one, or a helper that fetches a part beside it.
struct Connection {
    enum Role {
        case first
        case part(Range<Int64>)
    }

    /// What follows the end of the present response.
    enum Next {
        /// No head has arrived.
        case nothing
        /// Its body is written.
        case write
        case send
        indirect case readMetalink(MetalinkLink)
        case publish(size: Int64)
        /// The server still has the finished file.
        case keepFinished(isProven: Bool)
        indirect case fail(FetchFailure)
        /// The part was refused, or its response is useless.
        case refused(SegmentPlan.End)
    }

    /// Where a request goes.
    struct Target {
        let url: HTTPURL
        /// Whether it follows a redirect.
        let isRedirect: Bool
        /// Whether the address of its host may be chosen.
        let mayBeChosen: Bool
        /// The addresses that it should not go to.
        let avoided: [String]
        /// The part that a helper fetches; `nil` for the first connection.
        let part: Range<Int64>?
    }

    /// How a transfer has ended.
    struct Finish {
        let end: TransferEnd
        /// How far the body got, if one was accepted.
        var body: Body?
        /// Why writing stopped.
        var fault: BodyWriter.Fault?
    }

    struct Body {
        /// The offset in the file of its next byte.
        let position: Int64
        let isWhole: Bool
        /// Whether its length, or the size of the file, is known.
        let hasKnownEnd: Bool
        /// Whether it began at the start of the file and replaced what was there.
        let startsOver: Bool
    }

    /// How a connection of a divided file ended.
    enum End {
        /// The server sent all of its part.
        case complete
        /// It broke or stalled in the body.
        indirect case cut(FetchFailure)
        /// There was no response, or a useless one.
        case refused(SegmentPlan.End)
        /// Its host had no room for it.
        case withdrawn
        /// Its bytes differ from those of another connection.
        case differs
        /// The file cannot be written.
        indirect case disk(FetchFailure)
    }

    /// Its number in the ``SegmentPlan``: 0 for the first.
    let id: Int
    let role: Role
    var route: RequestRoute
    var next = Next.nothing
    /// Whether this part was requested from the original URL.
    private var isOriginAsked: Bool
    /// The number of its present request; 0 if there is none.
    private(set) var request = 0
    private var transfer: (any Transfer)?
    /// For the host that it is connected to. The first connection has one only if redirects have led it to another
    /// host.
    var lease: HostLease?
    /// Whether the plan no longer needs it.
    private(set) var isClosed = false
    /// The addresses that it should not go to: connections that it replaces crawled or were silent there.
    let avoided: [String]
    /// Where its present request goes; `nil` if not known.
    private(set) var address: String?
    /// Whether we have chosen that address among those of its host.
    private(set) var isAtChosenAddress = false
    /// Whether libcurl chooses the address of its requests: the host's addresses do not serve the same file.
    private(set) var goesByName = false
    /// Whether its next request goes to another address: it crawls at the present one.
    private(set) var isLeaving = false

    init(_ id: Int, _ role: Role, _ route: RequestRoute, besides avoided: [String] = []) {
        (self.id, self.role, self.route, self.avoided) = (id, role, route, avoided)
        isOriginAsked = route.hop == 0
    }

    // MARK: Its transfer

    /// Begins its next request. Returns where that goes; `nil` if the plan no longer needs it.
    mutating func begin(request: Int) -> Target? {
        let part: Range<Int64>? = if case .part(let part) = role { part } else { nil }
        if part != nil, isClosed { return nil }
        (self.request, isClosed, next) = (request, false, .nothing)
        (address, isAtChosenAddress, isLeaving) = (nil, false, false)
        return Target(
            url: route.address,
            isRedirect: route.isRedirect,
            mayBeChosen: !goesByName,
            avoided: avoided,
            part: part
        )
    }

    /// We have chosen this address for its request.
    mutating func choose(_ address: String) {
        (self.address, isAtChosenAddress) = (address, true)
    }

    mutating func connected(to address: String) {
        self.address = address
    }

    /// It crawls. Its transfer ends with the next bytes, and the rest is requested at another address.
    mutating func leave() {
        isLeaving = true
    }

    /// The chosen address does not serve this file. Asks again at the host's name.
    mutating func returnToName() {
        goesByName = true
        next = .send
    }

    /// The transport has started a request. Returns whether the plan needs it; `nil` if it has ended meanwhile.
    mutating func started(_ transfer: any Transfer, for request: Int) -> Bool? {
        if self.request != request { return nil }
        self.transfer = transfer
        return !isClosed
    }

    mutating func ended() {
        transfer = nil
        request = 0
    }

    /// The plan no longer needs it. Returns the transfer to cancel.
    mutating func close() -> (any Transfer)? {
        isClosed = true
        return transfer
    }

    /// Its transfer, while it runs.
    var running: (any Transfer)? { transfer }

    // MARK: What its server says

    /// Follows a redirect with the next request.
    mutating func follow(_ head: ResponseHead, by rules: RedirectRules) {
        do throws(DownloadError) {
            try route.follow(head, by: rules)
            next = .send
        } catch {
            switch role {
            case .first: next = .fail(FetchFailure(error))
            case .part: next = .refused(.failed)
            }
        }
    }

    /// Judges the response to a request for a part. Returns the body to write, if it is acceptable.
    mutating func judgePart(
        _ head: ResponseHead,
        held: HeldBytes,
        limits: ResponseLimits,
        longestWait: Duration,
        now: Int64
    ) -> AcceptedBody? {
        guard case .part(let range) = role else { return nil }
        let decision = PartDecision.decide(
            range: range,
            held: held,
            head: head,
            limits: limits,
            isRedirected: route.hop > 0 && !isOriginAsked,
            now: now
        )
        switch decision {
        case .write(let body):
            next = .write
            return body
        case .askOrigin:
            isOriginAsked = true
            route.returnToOrigin()
            next = .send
        case .busy(let wait): next = .refused(.busy(retryAfter: min(.seconds(wait ?? 0), longestWait)))
        case .fail: next = .refused(.failed)
        case .giveUp: next = .refused(.useless)
        }
        return nil
    }

    var noResponse: DownloadError { .noResponse(at: route.elsewhere) }

    /// How a helper ended, if it sends no other request.
    func endOfPart(_ range: Range<Int64>, _ finish: Finish) -> End {
        switch finish.fault {
        case .disk(let error): return .disk(FetchFailure(DownloadError(error)))
        case .tooLarge, .moreThanExpected: return .refused(.failed)
        case .differs: return .differs
        // The body is longer than its part. The part is complete.
        case .surplus, nil: break
        }
        switch (next, finish.body) {
        case (.refused(let refusal), _): return .refused(refusal)
        case (.write, let body?) where body.isWhole:
            // If a server sends too little of each part, stop requesting parts.
            let isTooLittle =
                body.position < range.upperBound
                && body.position - range.lowerBound < SegmentPlan.leastSize
            return isTooLittle ? .refused(.useless) : .complete
        case (.write, _):
            guard case .failed(let error) = finish.end else { return .cut(FetchFailure(noResponse)) }
            return .cut(FetchFailure(DownloadError(error, route.address, at: route.elsewhere)))
        // No response head.
        default: return .refused(.failed)
        }
    }
}
