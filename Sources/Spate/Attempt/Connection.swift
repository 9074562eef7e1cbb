import HTTPResumption
import HTTPTransport

/// A connection of an attempt: the first one, which judges all that its URL answers, or one that fetches a part beside it.
struct Connection {
    enum Role {
        case first
        case part(Range<Int64>)
    }

    /// What follows when the present response has ended.
    enum Next {
        /// No head has come.
        case nothing
        /// Its body is written.
        case write
        case send
        case publish(size: Int64)
        /// The finished file is still what the server has.
        case keepFinished
        case fail(FetchFailure)
        /// The response to the request for a part is of no use.
        case refused(SegmentPlan.End)
    }

    /// How a transfer has ended.
    struct Finish {
        let end: TransferEnd
        /// What came of the body, if one was accepted.
        var body: Body?
        /// Why no more of it was written.
        var fault: BodyWriter.Fault?
    }

    struct Body {
        /// Where its next byte would have belonged.
        let position: Int64
        let isWhole: Bool
        /// Whether it is of the whole file.
        let startsOver: Bool
    }

    /// How a connection has ended, as those beside it see it.
    enum End {
        /// It brought all that the server sent of its part.
        case complete
        /// It was cut or stalled, in the body.
        case cut(FetchFailure)
        /// There was no response, or it was of no use.
        case refused(SegmentPlan.End)
        /// Its host has no room for it, after all.
        case withdrawn
        /// Its bytes are not those that another connection has brought.
        case differs
        /// The file cannot be written.
        case disk(FetchFailure)
    }

    /// Its number in the ``SegmentPlan``: 0 for the first.
    let id: Int
    let role: Role
    var route: RequestRoute
    var next = Next.nothing
    /// Whether the original URL has been asked for the part.
    private var isOriginAsked: Bool
    /// The number of its present request in the attempt.
    private(set) var request = 0
    private var transfer: (any Transfer)?
    /// Its connection to the host, where that is not the attempt's own.
    var lease: HostLease?
    /// Whether others bring what it would.
    private(set) var isClosed = false

    init(_ id: Int, _ role: Role, _ route: RequestRoute) {
        (self.id, self.role, self.route) = (id, role, route)
        isOriginAsked = route.hop == 0
    }

    // MARK: Its transfer

    /// Its next request is about to be sent; false if nobody needs it.
    mutating func begin(request: Int) -> Bool {
        if case .part = role, isClosed { return false }
        (self.request, isClosed, next) = (request, false, .nothing)
        return true
    }

    /// The transport has started a request. Returns whether that is to be cancelled.
    mutating func started(_ transfer: any Transfer, for request: Int) -> Bool {
        // It may have ended already, and been followed by another.
        if self.request != request { return false }
        self.transfer = transfer
        return isClosed
    }

    mutating func ended() {
        transfer = nil
        request = 0
    }

    /// Others bring what it would. Returns what is to be cancelled.
    mutating func close() -> (any Transfer)? {
        isClosed = true
        return transfer
    }

    /// What is to be cancelled if the attempt stops.
    var running: (any Transfer)? { transfer }

    // MARK: What its server says

    /// Follows a redirect with the next request.
    mutating func follow(_ head: ResponseHead, allowsInsecure: Bool) {
        do throws(DownloadError) {
            try route.follow(head, allowsInsecure: allowsInsecure)
            next = .send
        } catch {
            switch role {
            case .first: next = .fail(FetchFailure(error))
            case .part: next = .refused(.failed)
            }
        }
    }

    /// Judges the response to a request for a part. Returns the body that is to be written, if there is one.
    mutating func judgePart(
        _ head: ResponseHead,
        of range: Range<Int64>,
        held: HeldBytes,
        limits: ResponseLimits,
        longestWait: Duration,
        now: Int64
    ) -> AcceptedBody? {
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

    var noResponse: DownloadError { .noResponse(from: route.shown, at: route.address) }

    /// How a connection for a part has ended, if it sends no other request.
    func endOfPart(_ range: Range<Int64>, _ finish: Finish) -> End {
        switch finish.fault {
        case .disk(let error): return .disk(FetchFailure(DownloadError(writing: error)))
        case .tooLarge, .moreThanExpected: return .refused(.failed)
        case .differs: return .differs
        // The body is longer than its part, which is complete.
        case .surplus, nil: break
        }
        switch (next, finish.body) {
        case (.refused(let refusal), _): return .refused(refusal)
        case (.write, let body?) where body.isWhole:
            // A server that sends little of what it is asked for would be asked without end.
            let isTooLittle =
                body.position < range.upperBound
                && body.position - range.lowerBound < SegmentPlan.leastSize
            return isTooLittle ? .refused(.useless) : .complete
        case (.write, _):
            guard case .failed(let error) = finish.end else { return .cut(FetchFailure(noResponse)) }
            return .cut(FetchFailure(DownloadError(error, url: route.shown, at: route.address)))
        // No answer, or none that can be read.
        default: return .refused(.failed)
        }
    }
}
