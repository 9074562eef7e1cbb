import CSpateCurl
import SpateHTTPSyntax
import Testing

@testable import SpateHTTPTransport

/// What proves the end of a body without a length, over TLS (rules 6 and 19).
@Suite struct BodyFramingTests {
    private enum Answer { case complete, broken, asksOverHTTP1 }

    /// HTTP/2, a Content-Length, a close_notify, the peer has left.
    @Test(arguments: [
        (true, nil, true, true), (true, nil, true, false), (true, nil, false, true), (true, nil, false, false),
        (true, "5", true, true), (false, nil, true, true), (false, nil, false, true), (false, "5", false, true),
    ])
    func aCloseNotifyEndsABodyOfHTTP1AndCutsOneOfHTTP2(isStream: Bool, length: String?, notify: Bool, hasLeft: Bool) {
        let fields: HTTPFields = length.map { ["Content-Length": $0] } ?? [:]
        var framing = BodyFraming(ResponseHead(status: 200, fields: fields, isMessageFramed: isStream), isSecure: true)
        framing.receivedCloseNotify = notify
        let answer: Answer =
            switch framing.end(code: CInt(SPATE_CURLE_OK), peerHasLeft: hasLeft) {
            case .needsHTTP1: .asksOverHTTP1
            case .failed: .broken
            default: .complete
            }
        let isProven = length != nil || (isStream ? !notify && !hasLeft : notify)
        #expect(answer == (isProven ? .complete : isStream ? .asksOverHTTP1 : .broken))
        #expect(framing.end(code: CInt(SPATE_CURLE_RECV_ERROR), peerHasLeft: hasLeft) == nil)
    }
}
