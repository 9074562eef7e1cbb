package import SpateHTTPSyntax

/// What to do with the response to a request for one part of a file while another connection fetches the rest.
///
/// Giving up such a request costs little, so only a fully proven response is accepted.
package enum PartDecision: Hashable, Sendable {
    /// Write the body.
    case write(AcceptedBody)
    /// The redirected address refuses. Send the request to the original URL.
    case askOrigin
    /// The server has enough connections, and may ask to wait for this many seconds.
    case busy(retryAfter: Int64?)
    /// The response is unusable. Another request may succeed.
    case fail
    /// The server does not send parts of this file, or has another file now.
    case giveUp

    /// Where the request for a part begins. The bytes before the part are compared with the part in front.
    package static func start(of range: Range<Int64>) -> Int64 { max(0, range.lowerBound - RangeRequest.seamLength) }

    /// Judges a response by its head.
    ///
    /// - Parameters:
    ///   - range: The part to fetch. The request began at its `start`.
    ///   - held: The entity. It has a strong validator and a total.
    ///   - isRedirected: Whether redirects led to the address that answers, and the original URL has not been asked.
    ///   - now: The time in seconds since 1970.
    package static func decide(
        range: Range<Int64>,
        held: HeldBytes,
        head: ResponseHead,
        limits: ResponseLimits,
        isRedirected: Bool,
        now: Int64
    ) -> PartDecision {
        switch head.status {
        case 401, 403, 404, 410: return isRedirected ? .askOrigin : .fail
        case 429, 503:
            return .busy(retryAfter: RetryAfter.wait(head, now: now, maximum: limits.longestWait))
        case 200, 203, 412: return .giveUp
        case 206: break
        default: return .fail
        }
        let fields = head.fields.values(of: "content-range")
        guard fields.count == 1, case .part(_, let last, let total) = ContentRange(fields[0]), last < range.upperBound
        else { return .fail }
        if total != held.total { return .giveUp }
        let decision = ResumeDecision.decide(
            held: HeldBytes(
                length: range.lowerBound,
                total: held.total,
                validator: held.validator,
                encoding: held.encoding
            ),
            request: .tail(from: start(of: range), ifRange: held.validator?.strong),
            head: head,
            limits: limits,
            now: now
        )
        switch decision {
        case .write(let body): return .write(body)
        // Unproven by a validator, or proven to be another file.
        case .ask, .restart(.unprovenEntity), .restart(.otherEntity), .restart(.otherTotal), .restart(.otherEncoding):
            return .giveUp
        case .restart, .fail, .complete, .unchanged: return .fail
        }
    }
}
