import Spate

extension DownloadError {
    /// What went wrong, in a few words: while the program tries again by itself, nobody has to do anything about it.
    var inBrief: String {
        switch code {
        case .httpStatus: statusCode.map { "the server answered \($0)" } ?? "the server refused"
        case .hostNotFound: "host not found"
        case .connectionFailed: "connection failed"
        case .tls: "no secure connection"
        case .timedOut: "nothing came in time"
        case .incomplete: "it ended too early"
        case .badResponse: "the answer made no sense"
        case .redirect: "redirect failed"
        case .checksumMismatch: "the checksum is another one"
        case .diskFull: "the disk is full"
        case .inUse: "somebody else is fetching it"
        // Whatever else a later version may try again.
        default: "\(code)"
        }
    }
}
