import Foundation
import HTTPResumption
import HTTPSyntax
import HTTPTransport
import PartialFiles
import Testing

@testable import Spate

@Suite struct ErrorTextTests {
    private static func url() throws -> HTTPURL {
        try HTTPURL("https://alice:sesame@host.test:8443/folder/file.zip?signature=hidden")
    }

    /// What holds for every message.
    private static func check(_ error: DownloadError, names name: String?) {
        let message = error.message
        #expect(message.isSentence, "\(message)")
        if let name { #expect(message.contains(name), "\(message)") }
        for secret in ["alice", "sesame", "hidden"] { #expect(!message.contains(secret), "\(message)") }
        #expect(error.description == message && error.localizedDescription == message)
        #expect(error.underlying != nil)
    }

    @Test(
        arguments: [
            (.hostNotFound, .hostNotFound, true), (.connectionFailed, .connectionFailed, true),
            (.proxy, .proxy, true), (.proxySettings, .proxy, false),
            (.proxyRefused(status: nil, hasCredentials: true), .proxy, false),
            (.tlsHandshake, .tls, false), (.tlsUntrusted, .tls, false),
            (.tlsConfiguration, .tls, false), (.connectTimeout, .timedOut, true), (.headTimeout, .timedOut, true),
            (.stalled, .timedOut, true), (.emptyReply, .connectionFailed, true), (.broken, .connectionFailed, true),
            (.malformedChunks, .badResponse, true), (.malformedResponse, .badResponse, false),
            (.headTooLarge, .badResponse, false), (.interface, .connectionFailed, false),
            (.other(99), .connectionFailed, true),
        ] as [(TransportError.Kind, DownloadError.Code, Bool)]
    )
    func aTransferErrorIsASentenceThatNamesTheHost(
        kind: TransportError.Kind,
        code: DownloadError.Code,
        isRetryable: Bool
    ) throws {
        let error = DownloadError(TransportError(kind, detail: "what the library said"), url: try Self.url())
        #expect(error.code == code && error.isRetryable == isRetryable && error.statusCode == nil)
        #expect(error.message.contains("what the library said"))
        // An error in the configuration does not concern the host.
        let isOwnSide = kind == .tlsConfiguration || kind == .interface
        Self.check(error, names: isOwnSide ? nil : "host.test")
        Self.check(DownloadError(TransportError(kind, detail: ""), url: try Self.url()), names: nil)
    }

    @Test(
        arguments: [
            (.status(404), .httpStatus, 404), (.status(401), .httpStatus, 401), (.status(403), .httpStatus, 403),
            (.status(429), .httpStatus, 429), (.status(503), .httpStatus, 503), (.status(418), .httpStatus, 418),
            (.unexpectedStatus(204), .badResponse, 204), (.conflictingLengths, .badResponse, nil),
            (.invalidLength("5\r\nabc"), .badResponse, nil),
            (.rangeLengthMismatch(contentLength: 3, rangeLength: 4), .badResponse, nil),
            (.otherSize(expected: 5, actual: 4), .incomplete, nil),
            (.otherSize(expected: 5, actual: 6), .tooLarge, nil),
            (.tooLarge(maximum: 5, actual: 6), .tooLarge, nil),
        ] as [(ResponseFault.Reason, DownloadError.Code, Int?)]
    )
    func anUnusableResponseIsASentenceThatNamesTheHost(
        reason: ResponseFault.Reason,
        code: DownloadError.Code,
        status: Int?
    ) throws {
        let fault = ResponseFault(reason)
        let error = DownloadError(fault, url: try Self.url())
        #expect(error.code == code && error.statusCode == status && error.isRetryable == fault.isRetryable)
        Self.check(error, names: "host.test")
    }

    @Test(arguments: RestartCause.allCases)
    func aRepeatedRestartIsASentenceThatNamesTheHost(cause: RestartCause) throws {
        let error = DownloadError(ResponseFault(.repeatedRestart(cause)), url: try Self.url())
        #expect(error.code == .badResponse && !error.isRetryable)
        Self.check(error, names: "host.test")
    }

    @Test(arguments: 0..<7)
    func aRedirectNotFollowedIsASentenceThatNamesTheHost(index: Int) throws {
        let target = try HTTPURL("http://alice:sesame@other.test/?signature=hidden")
        let faults: [RedirectFault] = [
            .missingLocation, .ambiguousLocation, .invalidLocation(.invalidPort), .unsupportedScheme("ftp"),
            .insecure(target), .loop(target), .tooManyHops(20),
        ]
        let error = DownloadError(faults[index], status: 302, url: try Self.url())
        #expect(error.code == .redirect && error.statusCode == 302 && !error.isRetryable)
        Self.check(error, names: "host.test")
    }

    @Test(
        arguments: [
            (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EFBIG, .diskFull), (EWOULDBLOCK, .inUse), (EBUSY, .inUse),
            (EEXIST, .fileExists), (ENOTEMPTY, .fileExists), (ELOOP, .fileSystem), (EISDIR, .fileSystem),
            (EACCES, .fileSystem), (EROFS, .fileSystem), (ENAMETOOLONG, .fileSystem), (ENOENT, .fileSystem),
            (ESTALE, .fileSystem), (EIO, .fileSystem), (0, .fileSystem), (-5, .fileSystem), (99_999, .fileSystem),
        ] as [(CInt, DownloadError.Code)]
    )
    func aFileSystemsRefusalIsASentenceThatNamesTheFile(number: CInt, code: DownloadError.Code) {
        let fault = FileSystemError(.write, "/downloads/file.zip.part", code: number)
        for error in [DownloadError(writing: fault), DownloadError(opening: fault)] {
            #expect(error.code == code && !error.isRetryable)
            Self.check(error, names: "/downloads/file.zip.part")
        }
    }

    @Test func aRenameOntoAFolderMeansThatTheFileExists() {
        let error = DownloadError(writing: FileSystemError(.rename, "/downloads/file.zip", code: EISDIR))
        #expect(error.code == .fileExists)
    }

    @Test func aDownloadErrorStaysAsItIs() {
        let error = DownloadError(.checksumMismatch, "It is another file.", statusCode: 7)
        for same in [DownloadError(writing: error), DownloadError(opening: error)] {
            #expect(same.code == .checksumMismatch && same.message == error.message && same.statusCode == 7)
        }
    }

    @Test func anUnknownErrorGetsACodeAndASentence() {
        struct Odd: Error {}
        let error = DownloadError(opening: Odd())
        #expect(error.code == .fileSystem && error.message.isSentence)
    }

    @Test func anErrorOfTheAttemptIsASentence() throws {
        let url = try Self.url()
        let digest = Checksum(.sha512, digest: [0])
        let errors: [(DownloadError, DownloadError.Code)] = [
            (.tooLarge(limit: 5, url: url), .tooLarge), (.moreThanExpected(5, url: url), .tooLarge),
            (.incomplete(received: 5, total: 7, url: url), .incomplete),
            (.incomplete(received: 5, total: nil, url: url), .incomplete), (.noResponse(from: url), .badResponse),
            (.otherChecksum(found: digest, ExpectedChecksum(digest), url: url), .checksumMismatch),
        ]
        for (error, code) in errors {
            #expect(error.code == code && error.message.isSentence)
            #expect(error.message.contains("https://host.test:8443/folder/file.zip"), "\(error.message)")
            #expect(!error.message.contains("hidden") && !error.message.contains("sesame"))
        }
        #expect(DownloadError.wasCancelled.message.isSentence)
    }
}
