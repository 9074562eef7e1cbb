import CSpateCurl
import SpateHTTPSyntax
import Testing

@testable import SpateHTTPTransport

/// What proves the end of a body over TLS (rules 6 and 19).
@Suite struct BodyFramingTests {
    private enum Answer { case complete, broken, unproven }

    /// HTTP/2, a Content-Length, a close_notify.
    @Test(
        arguments: [
            (true, nil, nil, .unproven), (true, "5", nil, .complete),
            (false, nil, true, .complete), (false, nil, false, .broken), (false, "5", false, .complete),
        ] as [(Bool, String?, Bool?, Answer)]
    )
    private func aBodyWithoutALengthEndsWithItsConnectionOrUnproven(
        isStream: Bool,
        length: String?,
        notify: Bool?,
        expected: Answer
    ) {
        let fields: HTTPFields = length.map { ["Content-Length": $0] } ?? [:]
        var framing = BodyFraming(ResponseHead(status: 200, fields: fields, isMessageFramed: isStream), isSecure: true)
        framing.receivedCloseNotify = notify
        let answer: Answer =
            switch framing.end(code: CInt(SPATE_CURLE_OK)) {
            case .unproven: .unproven
            case .failed: .broken
            default: .complete
            }
        #expect(answer == expected)
        #expect(framing.end(code: CInt(SPATE_CURLE_RECV_ERROR)) == nil)
    }
}
