import Foundation
import PartialFiles

/// How a download ended. The URL of its file, which Foundation takes long to make, is made only for those who want it.
enum DownloadEnd {
    case finished(FinalPath)
    indirect case failed(DownloadError)
    case cancelled

    var state: DownloadState {
        switch self {
        case .finished(let path): .finished(URL(fileURLWithPath: path.text, isDirectory: false))
        case .failed(let error): .failed(error)
        case .cancelled: .cancelled
        }
    }

    /// Why it ended without its file.
    var error: DownloadError? {
        switch self {
        case .finished: nil
        case .failed(let error): error
        case .cancelled: .wasCancelled
        }
    }
}
