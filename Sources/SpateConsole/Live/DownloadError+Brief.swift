import Spate

extension DownloadError {
    /// What went wrong, in a few words, for a retry. The user does not have to do anything.
    var inBrief: String {
        switch code {
        case .httpStatus: statusCode.map { "the server answered \($0)" } ?? "the server refused"
        case .hostNotFound: "host not found"
        case .connectionFailed: "connection failed"
        case .proxy: statusCode.map { "the proxy answered \($0)" } ?? "the proxy failed"
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
