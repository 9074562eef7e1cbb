import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpatePartialFiles
import SpateSplitting

/// An address of a host that crawls, refuses or does not answer.
struct FailedAddress {
    /// A URL of the host.
    let url: HTTPURL
    /// `nil` if unknown: nothing answered.
    let address: String?
}

/// Other addresses of a host. A connection that crawls (S5) continues at another one, and so does one whose address fails.
///
/// A chosen address has proven nothing yet. If its response does not continue the file, the host's name is asked again, as
/// if no address had been chosen: the bytes on disk stay.
extension FetchMachine {
    private static let mostFailedAddresses = 7
    /// What must be left of the budget, so that an address is not left for the sake of the last request.
    private static let leastBudget = 4
    /// One connection may crawl by itself. With two it is the address.
    private static let witnesses = 2

    // MARK: Crawling

    /// A body of the first connection begins. Measures it if the rest can be requested elsewhere.
    mutating func notePace(of body: AcceptedBody, _ head: ResponseHead, _ now: Time) {
        guard let total = body.total, total >= SegmentPlan.leastSize, head.servesParts, !body.refusesRanges else {
            pace = nil
            return
        }
        pace = ConnectionPace(at: body.offset + body.comparing, answer: now - sent, now: now, after: pace)
    }

    /// Judges the speed of the first connection, if it is the only one.
    ///
    /// - Parameters:
    ///   - connections: how many connections share the line.
    ///   - host: the speed that the host had before.
    /// - Returns: the verdict, and the address; `nil` if the speed says nothing.
    mutating func judgePace(
        connections: Int,
        host: ConnectionSpeed?,
        isLimited: Bool,
        _ moment: Moment
    ) -> (verdict: ConnectionPace.Verdict, pace: ConnectionPace, url: HTTPURL, address: String)? {
        guard var pace, let address = first.address, let total = held.total, !first.isLeaving else { return nil }
        guard !isLimited, openCount == 1, division?.isFirstRunning ?? true else {
            self.pace?.pause()
            return nil
        }
        let rest = total - moment.filled.count
        var verdict = pace.judge(rest: rest, connections: connections, host: host, now: moment.time)
        self.pace = pace
        let mayAsk = budget.left(filled: moment.filled.count) >= Self.leastBudget && !first.goesByName && !isStopping
        if !mayAsk || !mayContinue(moment.filled) { verdict = .steady }
        return (verdict, pace, first.route.address, address)
    }

    /// Whether a request for the rest continues the file.
    func mayContinue(_ filled: FilledRanges) -> Bool {
        var bytes = bytes
        _ = bytes.hold(filled)
        if case .tail = RangeRequest.first(for: bytes.held, history: history) { return true }
        return false
    }

    /// Another address takes over from the first connection.
    mutating func leaveCrawling() {
        guard !first.isLeaving, case .write = first.next else { return }
        pace?.leave()
        first.leave()
    }

    /// The plan gives up a connection that crawls or is silent: its part is requested at another address. Returns the
    /// address if no other connection is there. Otherwise the address is not to blame.
    mutating func leaveAddress(ofReplaced id: Int) -> FailedAddress? {
        guard let connection = self[id], let address = connection.address else { return nil }
        let part = if case .part(let part) = connection.role { part } else { 0..<Int64.max }
        division?.replaced.append((part, address))
        let isShared = (parts + [first]).contains { $0.address == address && !$0.isClosed && $0.running != nil }
        return isShared ? nil : FailedAddress(url: connection.route.address, address: address)
    }

    /// Where a connection for this part should not go: where it has crawled, or several others.
    func avoidedAddresses(for part: Range<Int64>) -> [String] {
        guard let replaced = division?.replaced else { return [] }
        return replaced.filter { left in
            left.part.overlaps(part) || replaced.count { $0.address == left.address } >= Self.witnesses
        }
        .map(\.address)
    }

    // MARK: Failing

    /// The address of a connection whose transfer has ended like this, if it failed because of the address.
    func failedAddress(of id: Int, _ end: TransferEnd) -> FailedAddress? {
        guard case .failed(let error) = end, error.proxy == nil, let connection = self[id] else { return nil }
        let address = error.address ?? connection.address
        switch error.kind {
        // Without an address, libcurl has tried them all.
        case .connectionFailed where address != nil: break
        case .connectTimeout, .headTimeout, .stalled: break
        default: return nil
        }
        return FailedAddress(url: connection.route.address, address: address)
    }

    /// Replaces the end of the attempt by a request to another address, if an address has failed and nothing is lost by
    /// that.
    ///
    /// - Parameters:
    ///   - actions: what follows the end of the only connection.
    ///   - finish: how its transfer ended; `nil` if there were several.
    mutating func leaveAddress(
        after actions: [Action],
        _ finish: Connection.Finish?,
        _ filled: FilledRanges
    ) -> [Action] {
        guard case .end(.failed(let failure)) = actions.last, failure.failedAddress != nil, failure.error.isRetryable,
            !isStopping, failedAddressCount < Self.mostFailedAddresses
        else { return actions }
        if finish?.body == nil, division == nil, !bytes.hasAdvanced(filled) {
            ask(for: range)
        } else {
            hold(filled)
            let rest = RangeRequest.first(for: held, history: history)
            guard case .tail = rest else { return actions }
            ask(for: rest)
        }
        failedAddressCount += 1
        return actions.dropLast() + [.leave(failure)]
    }

    // MARK: Chosen addresses

    /// We have chosen this address for a connection's request.
    mutating func choose(_ address: String, of id: Int) {
        change(id) { $0.choose(address) }
        pieces?.chosenHost = self[id]?.route.address.origin
    }

    /// Whether this is the decision about another file than the one on disk, because the response is from an address
    /// that we have chosen.
    func isForeign(_ decision: ResumeDecision, status: Int, _ filled: FilledRanges) -> Bool {
        guard first.isAtChosenAddress, !filled.isEmpty, case .tail = range, status != 429, status != 503 else {
            return false
        }
        return switch decision {
        case .write(let body): body.startsOver || bytes.mustShrink(for: body, filled)
        case .complete, .unchanged: false
        case .ask, .restart, .fail: true
        }
    }
}
