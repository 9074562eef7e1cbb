import SpateHTTPResumption
import SpateHTTPSyntax

extension DownloadError {
    /// An error from a response whose body cannot be used.
    ///
    /// - Parameter elsewhere: the host that answered, if it is not the one of the download's URL.
    init(_ fault: ResponseFault, at elsewhere: String?) {
        let what = Self.sentence(fault.description) + Self.place(elsewhere)
        let status: Int? =
            switch fault.reason {
            case .status(let status), .unexpectedStatus(let status): status
            default: nil
            }
        let (code, advice): (Code, String?) =
            switch fault.reason {
            // Only a proxy sends this status, for an http URL, which needs no tunnel.
            case .status(407): (.proxy, Self.proxyAdvice(407))
            case .status(let status): (.httpStatus, Self.advice(status))
            case .unexpectedStatus: (.badResponse, "Check that the URL names a file.")
            case .conflictingLengths, .invalidLength, .transferCoding:
                (.badResponse, "Try without a proxy, or report it to the server's operator.")
            case .rangeLengthMismatch: (.badResponse, nil)
            case .repeatedRestart: (.badResponse, "Try again later, or report it to the server's operator.")
            case .otherSize(let expected, let actual): (actual > expected ? .tooLarge : .incomplete, Self.checkTheSize)
            case .pageInstead:
                (.badResponse, "Check the login and the network. To have the page, allow replacing the file.")
            case .otherSource: (.badResponse, "Give a checksum if the files are the same, or another mirror.")
            case .tooLarge: (.tooLarge, Self.raiseTheLimit)
            }
        // A status alone is no sentence.
        let text = advice.map { "\(what). \($0)" } ?? (code == .httpStatus ? what : "\(what).")
        self.init(
            code,
            code == .proxy ? "The proxy answered \(text)" : text,
            isRetryable: fault.isRetryable,
            statusCode: status,
            underlying: fault
        )
        if code != .proxy { reason = what }
    }

    /// What to do, if the status does not say it.
    private static func advice(_ status: Int) -> String? {
        switch status {
        case 401: "Give a user and password in the URL, or an Authorization header."
        case 403: "Give credentials, or a new URL if this one has expired."
        case 429: "Send fewer requests, or try again later."
        default: nil
        }
    }

    /// Where something happened, after the words for it.
    ///
    /// - Parameter elsewhere: the host, if it is not the one of the download's URL. That one is not named, because a
    ///   message is read beside the URL.
    static func place(_ elsewhere: String?) -> String { elsewhere.map { " at \($0)" } ?? "" }

    /// An error from a redirect that is not followed.
    ///
    /// - Parameter elsewhere: the host that answered with the redirect, if it is not the one of the download's URL.
    init(_ fault: RedirectFault, status: Int, at elsewhere: String?) {
        let advice =
            switch fault {
            case .missingLocation, .ambiguousLocation, .invalidLocation:
                "Use the file's own URL, or report it to the server's operator."
            case .unsupportedScheme: "Only http and https are followed."
            case .insecure: "Allow insecure redirects only if others may read and change this file."
            case .loop, .tooManyHops: "The server may require a login or a cookie."
            case .notWanted, .otherOrigin: "If you trust it, ask for that URL, or follow such redirects."
            }
        let what = Self.sentence("\(fault)") + Self.place(elsewhere)
        self.init(.redirect, "\(what). \(advice)", statusCode: status, underlying: fault)
    }

    // MARK: Errors found while the body arrives

    private static let raiseTheLimit = "Raise the limit if you want this file."
    private static let checkTheSize = "Check the URL and the expected size."

    static func tooLarge(limit: Int64) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the allowed \(limit) bytes. \(raiseTheLimit)")
    }

    static func moreThanExpected(_ size: Int64) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the expected \(size) bytes. \(checkTheSize)")
    }

    static func incomplete(received: Int64, total: Int64?, at elsewhere: String?) -> DownloadError {
        let whole = total.map { " of \($0)" } ?? ""
        return DownloadError(
            .incomplete,
            "The server ended the file after \(received)\(whole) bytes\(place(elsewhere)). Try again to get the rest.",
            isRetryable: true
        )
    }

    static func unprovenEnd(received: Int64, at elsewhere: String?) -> DownloadError {
        DownloadError(
            .incomplete,
            "The server ended the file after \(received) bytes\(place(elsewhere)), and nothing shows that this is all. "
                + "Try again, or give its size or checksum.",
            isRetryable: true
        )
    }

    static func tooManyRequests(at elsewhere: String?) -> DownloadError {
        DownloadError(
            .badResponse,
            "The server sends too little of the file for each request\(place(elsewhere)). Try again later.",
            isRetryable: true
        )
    }

    static let changedMeanwhile = DownloadError(
        .badResponse,
        "The file changed while it was fetched. Try again to get the new one.",
        isRetryable: true
    )

    static func noResponse(at elsewhere: String?) -> DownloadError {
        DownloadError(
            .badResponse,
            "The server ended the response before its headers were complete\(place(elsewhere)). Try again later.",
            isRetryable: true
        )
    }

    /// - Parameter isGiven: whether the request has the checksum. Otherwise the server has stated it.
    static func otherChecksum(
        found: Checksum,
        _ expected: ExpectedChecksum,
        isGiven: Bool
    ) -> DownloadError {
        let source = isGiven ? "" : ", as the server says in \(expected.field ?? "its Metalink")"
        let advice =
            isGiven
            ? "check the expected value and the URL."
            : "give the right checksum if the server's is wrong, or report it to the server's operator."
        return DownloadError(
            .checksumMismatch,
            "The \(found.algorithm.standardName) is \(found.hexadecimal), not "
                + "\(expected.checksum.hexadecimal)\(source). The bytes were discarded; \(advice)"
        )
    }

    /// A piece that differs from its checksum in a ``Metalink``.
    static func otherPiece(_ pieces: FilePieces, _ piece: Int, at elsewhere: String?) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "\(sentence(pieces.name(of: piece)))\(place(elsewhere)) does not have the \(pieces.algorithm.standardName) "
                + "that its Metalink says. The pieces that do are kept; name another mirror, or get a new Metalink."
        )
    }

    /// The text with a capital first letter.
    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
