import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts

/// What proves the end of a body whose end HTTP/2 does not prove (rule 113).
enum EndProof {
    /// The same request over HTTP/1.1.
    case http1
    /// A range request that begins just before the end: its answer states the size.
    case range
}

/// Bodies without a length over HTTP/2. To libcurl, a stream that is reset without an error ends like a whole one.
///
/// A server that serves ranges proves the end on the same connection. Another is asked over HTTP/1.1 before its body
/// comes, and so are the next files of its host: chunks prove their end.
extension FetchMachine {
    /// Decides how the end of this body will be proven. Returns whether to write it; otherwise it is asked for over
    /// HTTP/1.1.
    mutating func mayProveEnd(of body: AcceptedBody, _ head: ResponseHead, _ actions: inout [Action]) -> Bool {
        guard head.isMessageFramed, body.bodyLength == nil, body.total == nil else { return true }
        switch endProof {
        case .range: return true
        // It came over HTTP/2 all the same.
        case .http1: prove(by: .range, &actions)
        case nil: prove(by: head.servesParts ? .range : .http1, &actions)
        }
        guard endProof == .http1 else { return true }
        ask(for: range)
        return false
    }

    /// Requests the same over HTTP/2 if the server does not speak HTTP/1.1. Returns `nil` if that is not the reason.
    mutating func returnToHTTP2(after finish: Connection.Finish, _ filled: FilledRanges) -> [Action]? {
        guard endProof == .http1, !isStopping, finish.body == nil, lacksHTTP1(finish.end) else { return nil }
        var actions: [Action] = []
        prove(by: .range, &actions)
        ask(for: range)
        return actions + [.send(0)]
    }

    private func lacksHTTP1(_ end: TransferEnd) -> Bool {
        switch (first.next, end) {
        case (.nothing, .failed(let error)):
            switch error.kind {
            case .tlsHandshake, .emptyReply, .malformedResponse, .broken: error.proxy == nil
            default: false
            }
        // Misdirected Request, Upgrade Required, HTTP Version Not Supported.
        case (.fail(let failure), _): [421, 426, 505].contains(failure.error.statusCode)
        default: false
        }
    }

    /// The body of the first connection has ended, and nothing shows whether it is whole.
    mutating func proveEnd() {
        isProvingEnd = true
        ask(for: .proving(held))
    }

    /// The range request brings the whole again. Only a checksum can prove the end now.
    mutating func rangeIsIgnored(_ limits: ResponseLimits) {
        if limits.hasProof || held.digest != nil {
            first.next = .publish(size: held.length)
        } else {
            fail(.unprovenEnd(received: held.length, at: first.route.elsewhere))
        }
    }

    /// The range request did not prove the end. Another attempt asks over HTTP/1.1.
    mutating func noteUnprovenEnd(_ actions: [Action]) -> [Action] {
        guard isProvingEnd, case .end(.failed) = actions.last else { return actions }
        var learning: [Action] = []
        prove(by: .http1, &learning)
        return learning + actions
    }

    private mutating func prove(by proof: EndProof, _ actions: inout [Action]) {
        endProof = proof
        actions.append(.learnProof(first.route.address.origin, proof))
    }
}
