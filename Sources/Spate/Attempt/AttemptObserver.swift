import Foundation
import HTTPResumption

/// What an attempt tells the download that it works for. Each call names the attempt, for an old one may still speak
/// when another has taken its place.
protocol AttemptObserver: AnyObject, Sendable {
    /// The response has been accepted: the file stands at this offset, and is this long.
    func attempt(_ id: DownloadMachine.AttemptID, beganAt offset: Int64, total: Int64?)
    /// The file has grown to this offset.
    func attempt(_ id: DownloadMachine.AttemptID, advancedTo offset: Int64)
    /// Puts the file in place, unless the download has been stopped meanwhile; then it returns nil and `publish` is
    /// not called.
    func attempt(_ id: DownloadMachine.AttemptID, publish: () throws -> AttemptResult) throws -> AttemptResult?
    /// The attempt is over, and its partial file let go of. Not called after a successful `publish`.
    func attempt(_ id: DownloadMachine.AttemptID, endedWith failure: AttemptFailure, history: ResumeHistory)
    /// Whether the download was deleted.
    var isDeleted: Bool { get }
}

/// A file put in place.
struct AttemptResult {
    var file: URL
    var size: Int64
    var remarks: [DownloadRemark]
}

/// Why an attempt ended without a file.
struct AttemptFailure {
    var error: DownloadError
    /// How much of the file is on disk.
    var reached: Int64
    /// How long the server asked to wait.
    var retryAfter: Duration?
}
