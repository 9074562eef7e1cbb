import SpateHTTPResumption
import SpateHTTPSyntax

@testable import Spate

extension MessageSample {
    static func ofResponses() -> [MessageSample] {
        ResponseFault.Reason.samples.map { MessageSample(DownloadError(ResponseFault($0), at: nil)) }
            + [MessageSample(DownloadError(ResponseFault(.status(404)), at: "mirror.example.org"))]
    }

    static func ofRedirects() throws -> [MessageSample] {
        try RedirectFault.samples().map { MessageSample(DownloadError($0, status: 302, at: nil)) }
    }
}

extension ResponseFault.Reason {
    // One status for each advice.
    static let samples: [ResponseFault.Reason] =
        [400, 401, 403, 404, 407, 429, 503, 599].map { .status($0) } + [
            .unexpectedStatus(204), .conflictingLengths, .invalidLength("5abc"), .transferCoding("gzip"),
            .rangeLengthMismatch(contentLength: 400, rangeLength: 500), .otherSize(expected: 1000, actual: 900),
            .otherSize(expected: 1000, actual: 1100), .tooLarge(maximum: 1000, actual: 1100), .pageInstead,
            .otherSource(.otherTotal),
        ] + RestartCause.allCases.map { .repeatedRestart($0) }
}

extension RedirectFault {
    fileprivate static func samples() throws -> [RedirectFault] {
        let plain = try HTTPURL("http://example.org/file.zip")
        return [
            .missingLocation, .ambiguousLocation, .invalidLocation(.invalidPort), .unsupportedScheme("ftp"),
            .insecure(plain), .loop(plain), .tooManyHops(20), .notWanted(plain), .otherOrigin(plain),
        ]
    }

    static func sampleNumbers() throws -> [Int] { try samples().map(\.number) }

    private var number: Int {
        switch self {
        case .missingLocation: 0
        case .ambiguousLocation: 1
        case .invalidLocation: 2
        case .unsupportedScheme: 3
        case .insecure: 4
        case .loop: 5
        case .tooManyHops: 6
        case .notWanted: 7
        case .otherOrigin: 8
        }
    }
}
