import Spate

extension DownloadError {
    /// What went wrong, in a few words, for a retry. The user does not have to do anything.
    var inBrief: String {
        guard let reason = failureReason else { return kindInBrief }
        // Within a line, a word begins with a small letter, but not "TLS" or "503".
        let isWord = reason.dropFirst().first?.isLowercase ?? false
        return PlainText.oneLine(isWord ? reason.prefix(1).lowercased() + reason.dropFirst() : reason)
    }

    /// The kind of failure, in a few words.
    var kindInBrief: String {
        switch code {
        case .httpStatus: statusCode.map(DownloadFormat.status) ?? "the server refused"
        case .hostNotFound: "host not found"
        case .connectionFailed: "connection failed"
        case .proxy: statusCode.map { "the proxy answered \(DownloadFormat.status($0))" } ?? "the proxy failed"
        case .tls: "TLS failed"
        case .timedOut: "timed out"
        case .incomplete: "the connection ended early"
        case .badResponse: "invalid response"
        case .redirect: "redirect failed"
        case .checksumMismatch: "wrong checksum"
        case .diskFull: "the disk is full"
        case .inUse: "in use by another process"
        // A later version of the library may retry more.
        default: "\(code)"
        }
    }
}
