import HTTPResumption

extension DownloadError {
    /// What a useless response means to the user of a download.
    init(_ fault: ResponseFault, url: HTTPURL) {
        let said = Self.sentence(fault.description)
        let place = url.shown
        var error: DownloadError
        switch fault.reason {
        case .status(let status):
            error = DownloadError(.httpStatus, "\(said) for \(place). \(Self.advice(status))", statusCode: status)
        case .unexpectedStatus(let status):
            let advice = "Check that the URL is that of a file."
            error = DownloadError(.badResponse, "\(said): \(place). \(advice)", statusCode: status)
        case .conflictingLengths, .invalidLength, .transferCoding:
            let advice = "Its bytes cannot be trusted until the server, or a proxy before it, is mended."
            error = DownloadError(.badResponse, "Asked for \(place), \(fault). \(advice)")
        case .rangeLengthMismatch:
            error = DownloadError(.badResponse, "Asked for \(place), \(fault). Try again later.")
        case .repeatedRestart:
            let advice = "Try again later; if it stays so, the server gives no file that holds still."
            error = DownloadError(.badResponse, "\(said): \(place). \(advice)")
        case .otherSize(let expected, let actual):
            let advice = "Check the URL and the expected size."
            error = DownloadError(actual > expected ? .tooLarge : .incomplete, "\(said): \(place). \(advice)")
        case .tooLarge:
            error = DownloadError(.tooLarge, "\(said): \(place). \(Self.raiseTheLimit)")
        }
        error.isRetryable = fault.isRetryable
        error.underlying = fault
        self = error
    }

    private static func advice(_ status: Int) -> String {
        switch status {
        case 401: "Give a user and password in the URL, or an Authorization header."
        case 407: "Give the proxy's user and password in the address of the proxy."
        case 403: "The server refuses this file to you: give credentials, or a new URL where this one has expired."
        case 404, 410: "Check the URL."
        case 429: "The server asks for fewer requests; try again later."
        case 408, 425, 500...: "Try again later."
        default: "Check the URL and the headers that were given."
        }
    }

    /// What a redirect that is not followed means, when this URL was asked.
    init(_ fault: RedirectFault, status: Int, url: HTTPURL) {
        let advice =
            switch fault {
            case .missingLocation, .ambiguousLocation, .invalidLocation:
                "Find the file's own address, or have the server mended."
            case .unsupportedScheme: "Only http and https are followed."
            case .insecure: "Allow insecure redirects if anybody may see and change this file."
            case .loop, .tooManyHops: "The server may want a login or a cookie first."
            }
        self.init(.redirect, "Asked for \(url.shown), \(fault). \(advice)", statusCode: status, underlying: fault)
    }

    // MARK: What an attempt finds by itself

    private static let raiseTheLimit = "Allow more if you want it."

    static func tooLarge(limit: Int64, url: HTTPURL) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the allowed \(limit) bytes: \(url.shown). \(raiseTheLimit)")
    }

    static func moreThanExpected(_ size: Int64, url: HTTPURL) -> DownloadError {
        let advice = "Check the URL and the expected size."
        return DownloadError(.tooLarge, "The file has more than the expected \(size) bytes: \(url.shown). \(advice)")
    }

    static func incomplete(received: Int64, total: Int64?, url: HTTPURL) -> DownloadError {
        let whole = total.map { " of \($0)" } ?? ""
        return DownloadError(
            .incomplete,
            "The server ended \(url.shown) after \(received)\(whole) bytes. Try again to get the rest.",
            isRetryable: true
        )
    }

    static func noResponse(from url: HTTPURL) -> DownloadError {
        DownloadError(
            .badResponse,
            "\(url.host) ended the response before its head was complete: \(url.shown). Try again later.",
            isRetryable: true
        )
    }

    static func otherChecksum(found: String, expected: String, url: HTTPURL) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "The SHA-256 of \(url.shown) is \(found), not \(expected). The file was dropped; the one on the server is "
                + "another, or the expected value is wrong."
        )
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
