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
            error = DownloadError(.badResponse, "\(said) for \(place).", statusCode: status)
        case .conflictingLengths, .invalidLength, .transferCoding, .rangeLengthMismatch, .restartedInVain:
            error = DownloadError(.badResponse, "\(said). The response from \(url.host) cannot be trusted.")
        case .otherSize(let expected, let actual):
            error = DownloadError(actual > expected ? .tooLarge : .incomplete, "\(said): \(place).")
        case .tooLarge:
            error = DownloadError(.tooLarge, "\(said): \(place).")
        }
        error.isRetryable = fault.isRetryable
        error.underlying = fault
        self = error
    }

    /// What a redirect that is not followed means, when this URL was asked.
    init(_ fault: RedirectFault, status: Int, url: HTTPURL) {
        self.init(.redirect, "Asked for \(url.shown), \(fault).", statusCode: status, underlying: fault)
    }

    static func tooLarge(limit: Int64) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the allowed \(limit) bytes.")
    }

    static func moreThanExpected(_ size: Int64) -> DownloadError {
        DownloadError(.tooLarge, "The file has more than the expected \(size) bytes.")
    }

    static func incomplete(received: Int64, total: Int64?) -> DownloadError {
        let whole = total.map { " of \($0)" } ?? ""
        return DownloadError(
            .incomplete,
            "The server ended the file after \(received)\(whole) bytes. Try again to get the rest.",
            isRetryable: true
        )
    }

    static func noResponse(from url: HTTPURL) -> DownloadError {
        DownloadError(.badResponse, "\(url.host) ended the response before its head was complete.", isRetryable: true)
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func advice(_ status: Int) -> String {
        switch status {
        case 401, 407: "Give a user and password, or an Authorization header."
        case 403: "The server refuses this file to you; the URL may have expired."
        case 404, 410: "Check the URL."
        case 429: "The server asks for fewer requests; try again later."
        case 408, 425, 500...: "Try again later."
        default: "The server does not give this file."
        }
    }
}
