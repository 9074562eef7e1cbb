import CCurl
import HTTPSyntax
import Testing

@testable import HTTPTransport

@Suite struct BodyFramingTests {
    /// Rule 19: libcurl takes the end of the connection for the end of a stream that was reset.
    @Test(arguments: [(true, nil, true), (true, nil, false), (true, "5", true), (false, nil, true)])
    func theEndOfTheConnectionProvesNoEndOfAStream(isStream: Bool, length: String?, connectionIsOver: Bool) {
        let fields: HTTPFields = length.map { ["Content-Length": $0] } ?? [:]
        let head = ResponseHead(status: 200, fields: fields, isMessageFramed: isStream)
        let framing = BodyFraming(head, isSecure: true)
        let end = framing.end(code: CInt(SPATE_CURLE_OK), connectionIsOver: connectionIsOver)
        let isAskedAgain = if case .needsHTTP1 = end { true } else { false }
        #expect(isAskedAgain == (isStream && length == nil && connectionIsOver))
        #expect(framing.end(code: CInt(SPATE_CURLE_RECV_ERROR), connectionIsOver: connectionIsOver) == nil)
    }
}
