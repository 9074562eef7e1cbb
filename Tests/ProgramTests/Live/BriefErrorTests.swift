import Spate
import Testing

@testable import SpateProgram

@Suite struct BriefErrorTests {
    /// What the library tries again by itself.
    @Test(arguments: [
        DownloadError.Code.httpStatus, .hostNotFound, .connectionFailed, .tls, .timedOut, .incomplete, .badResponse,
        .redirect, .checksumMismatch,
    ])
    func whatIsTriedAgainIsSaidInAFewWords(code: DownloadError.Code) {
        let brief = DownloadError(code, "A long sentence. Try again later.", isRetryable: true).inBrief
        #expect(brief.contains(" ") && brief.count <= 30 && brief != code.rawValue)
    }

    @Test func aStatusIsNamed() {
        #expect(DownloadError(.httpStatus, "Later.", statusCode: 503).inBrief == "the server answered 503")
    }

    @Test func aCodeThatIsNotKnownIsTold() {
        #expect(DownloadError(DownloadError.Code(rawValue: "eclipse"), "Dark.").inBrief == "eclipse")
    }
}
