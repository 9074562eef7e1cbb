import Spate

/// How a download ended. Not its state, which has the URL of the file, made when it is asked for.
enum DownloadOutcome {
    case finished
    case failed(DownloadError)
    /// Or paused, because the run ends.
    case cancelled

    /// - Parameter error: of a download that has ended.
    init(_ error: DownloadError?) {
        self = error.map { $0.code == .cancelled ? .cancelled : .failed($0) } ?? .finished
    }
}
