import HTTPResumption
import HTTPSyntax

extension DownloadError {
    /// An error from a response whose body cannot be used.
    init(_ fault: ResponseFault, url: HTTPURL) {
        let said = Self.sentence(fault.description)
        let shown = url.shown
        var error: DownloadError
        switch fault.reason {
        case .status(407):
            // Only a proxy sends this status, for an http URL, which needs no tunnel.
            let advice = Self.proxyAdvice(407)
            error = DownloadError(
                .proxy,
                "The proxy answered with status 407 for \(shown). \(advice)",
                statusCode: 407
            )
        case .status(let status):
            error = DownloadError(.httpStatus, "\(said) for \(shown). \(Self.advice(status))", statusCode: status)
        case .unexpectedStatus(let status):
            let advice = "Check that the URL names a file."
            error = DownloadError(.badResponse, "\(said): \(shown). \(advice)", statusCode: status)
        case .conflictingLengths, .invalidLength, .transferCoding:
            let advice = "Try without a proxy, or report it to the server's operator."
            error = DownloadError(.badResponse, "Asked for \(shown), \(fault). \(advice)")
        case .rangeLengthMismatch:
            error = DownloadError(.badResponse, "Asked for \(shown), \(fault). Try again later.")
        case .repeatedRestart:
            let advice = "Try again later, or report it to the server's operator."
            error = DownloadError(.badResponse, "\(said): \(shown). \(advice)")
        case .otherSize(let expected, let actual):
            error = DownloadError(
                actual > expected ? .tooLarge : .incomplete,
                "\(said): \(shown). \(Self.checkTheSize)"
            )
        case .pageInstead:
            let advice = "Check the login and the network. To have the page, allow replacing the file."
            error = DownloadError(.badResponse, "\(said): \(shown). \(advice)")
        case .otherSource:
            let advice = "Give a checksum if the files are the same, or another mirror."
            error = DownloadError(.badResponse, "Asked for \(shown), \(fault). \(advice)")
        case .tooLarge:
            error = DownloadError(.tooLarge, "\(said): \(shown). \(Self.raiseTheLimit)")
        }
        error.isRetryable = fault.isRetryable
        error.underlying = fault
        self = error
    }

    private static func advice(_ status: Int) -> String {
        switch status {
        case 401: "Give a user and password in the URL, or an Authorization header."
        case 403: "Give credentials, or a new URL if this one has expired."
        case 404, 410: "Check the URL."
        case 429: "Send fewer requests, or try again later."
        case 408, 425, 500...: "Try again later."
        default: "Check the URL and the headers."
        }
    }

    /// An error from a redirect that is not followed.
    ///
    /// - Parameter url: the URL that answered with the redirect.
    init(_ fault: RedirectFault, status: Int, url: HTTPURL) {
        let advice =
            switch fault {
            case .missingLocation, .ambiguousLocation, .invalidLocation:
                "Use the file's own URL, or report it to the server's operator."
            case .unsupportedScheme: "Only http and https are followed."
            case .insecure: "Allow insecure redirects only if others may read and change this file."
            case .loop, .tooManyHops: "The server may require a login or a cookie."
            }
        self.init(.redirect, "Asked for \(url.shown), \(fault). \(advice)", statusCode: status, underlying: fault)
    }

    // MARK: Errors found while the body arrives

    private static let raiseTheLimit = "Raise the limit if you want this file."
    private static let checkTheSize = "Check the URL and the expected size."

    static func tooLarge(limit: Int64, url: HTTPURL) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the allowed \(limit) bytes: \(url.shown). \(raiseTheLimit)")
    }

    static func moreThanExpected(_ size: Int64, url: HTTPURL) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the expected \(size) bytes: \(url.shown). \(checkTheSize)")
    }

    static func incomplete(received: Int64, total: Int64?, url: HTTPURL) -> DownloadError {
        let whole = total.map { " of \($0)" } ?? ""
        return DownloadError(
            .incomplete,
            "The server ended \(url.shown) after \(received)\(whole) bytes. Try again to get the rest.",
            isRetryable: true
        )
    }

    static func tooManyRequests(for url: HTTPURL) -> DownloadError {
        DownloadError(
            .badResponse,
            "The server sends too little of \(url.shown) for each request. Try again later.",
            isRetryable: true
        )
    }

    static func changedMeanwhile(_ url: HTTPURL) -> DownloadError {
        DownloadError(
            .badResponse,
            "The file at \(url.shown) has changed while it was fetched. Try again to get the new one.",
            isRetryable: true
        )
    }

    /// - Parameters:
    ///   - url: the URL for the message.
    ///   - address: the requested URL, if different. The message names only its host.
    static func noResponse(from url: HTTPURL, at address: HTTPURL? = nil) -> DownloadError {
        DownloadError(
            .badResponse,
            "\((address ?? url).host) ended the response before its headers were complete: \(url.shown). Try again later.",
            isRetryable: true
        )
    }

    /// - Parameter isGiven: whether the request has the checksum. Otherwise the server has stated it.
    static func otherChecksum(
        found: Checksum,
        _ expected: ExpectedChecksum,
        isGiven: Bool,
        url: HTTPURL
    ) -> DownloadError {
        let source = isGiven ? "" : ", as the server says in \(expected.field ?? "its Metalink")"
        let advice =
            isGiven
            ? "check the expected value and the URL."
            : "give the right checksum if the server's is wrong, or report it to the server's operator."
        return DownloadError(
            .checksumMismatch,
            "The \(found.algorithm.standardName) of \(url.shown) is \(found.hexadecimal), not "
                + "\(expected.checksum.hexadecimal)\(source). The bytes were discarded; \(advice)"
        )
    }

    /// A piece that differs from its checksum in a ``Metalink``.
    static func otherPiece(_ pieces: FilePieces, _ piece: Int, url: HTTPURL) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "\(sentence(pieces.name(of: piece))) of \(url.shown) does not have the \(pieces.algorithm.standardName) that "
                + "its Metalink says. The pieces that do are kept; name another mirror, or get a new Metalink."
        )
    }

    /// The text with a capital first letter.
    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
