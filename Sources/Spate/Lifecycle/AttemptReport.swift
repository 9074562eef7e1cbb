import HTTPResumption

/// What an attempt tells its download.
enum AttemptReport {
    /// The origin's file has this total, as far as is known.
    case total(Int64)
    /// A response was accepted: the file has this many bytes, and will have `total`.
    case begins(at: Int64, total: Int64?)
    /// The file has grown to this many bytes.
    case reached(Int64)
    /// So many connections are open for it.
    case connections(Int)
    /// The server names other places of the file, which has this total.
    case places([HTTPURL], total: Int64?)
    /// The finished file is there.
    case finished(FinishedAttempt)
    /// It has failed, and closed its file.
    case failed(DownloadError, FailedAttempt)
    /// It has closed its file. The host that it was redirected to has no room, or has asked to wait.
    case waits(HTTPOrigin, ResumeHistory)
}

/// What a complete file came from.
struct FinishedAttempt {
    let path: String
    let size: Int64
    /// `nil` if the server was not asked.
    var response: KeptResponse?
    var remarks: [DownloadRemark] = []
    /// What came of a check for an update, if one was made.
    var update: DownloadUpdate?
}
