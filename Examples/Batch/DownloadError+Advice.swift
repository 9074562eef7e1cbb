import Spate

extension DownloadError {
    /// What to do about the error. New codes may be added, so there is a default.
    var advice: String {
        switch code {
        case .httpStatus where statusCode == 404 || statusCode == 410: "Remove it from the list, or correct its URL."
        case .checksumMismatch: "The checksum or the file is wrong: ask its publisher."
        case .diskFull: "Free some space and run this again: it continues where it stopped."
        default:
            switch (isRetryable, keptPartialFile) {
            case (true, true): "Run this again: it continues where it stopped."
            case (true, false): "Run this again later."
            case (false, _): "Running this again will not help. See the reason."
            }
        }
    }
}
