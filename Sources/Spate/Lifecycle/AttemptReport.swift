import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles

/// What an attempt reports to its download, except that it has finished.
enum AttemptReport {
    /// The total of the origin's file, from the record of the partial file.
    case total(Int64)
    /// A response was accepted: the file has this many bytes, and will have `total`.
    case begins(at: Int64, total: Int64?, KeptResponse?)
    /// The file has grown to this many bytes. `isAll` if it came at once, and its end follows.
    case reached(Int64, isAll: Bool)
    /// This many connections are open.
    case connections(Int)
    /// The server names mirrors of the file, which has this total.
    case mirrors([HTTPURL], total: Int64?)
    /// The server's Metalink was read, or cannot be.
    case metalink(ServerMetalink)
    /// The attempt failed. Its file is closed.
    // Large and rare, so it has memory of its own.
    indirect case failed(DownloadError, FailedAttempt)
    /// The host of a redirect has no room, or has asked to wait. The file is closed.
    case waits(HTTPOrigin, ResumeHistory, keepsBytes: Bool)
}

/// A finished file, which has its final name or was already there, and its response.
struct FinishedAttempt {
    let path: FinalPath
    let size: Int64
    /// `nil` if no request was sent.
    var response: KeptResponse?
    var remarks: [DownloadRemark] = []
    /// The result of the check for an update, if there was one.
    var update: DownloadUpdate?
}
