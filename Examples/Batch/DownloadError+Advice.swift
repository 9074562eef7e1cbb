import Spate

extension DownloadError {
    /// What to do about it. The code says what kind of failure it is; more kinds may come, so there is a default.
    var advice: String {
        switch code {
        case .httpStatus where statusCode == 404 || statusCode == 410: "Take it off the list, or mend its URL."
        case .checksumMismatch: "The list and the server disagree: ask which of them is right."
        case .diskFull: "Make room and run this again: it goes on where it stopped."
        default:
            switch (isRetryable, keptPartialFile) {
            case (true, true): "Run this again: it goes on where it stopped."
            case (true, false): "Run this again later."
            case (false, _): "Running this again will not help; see the reason."
            }
        }
    }
}
