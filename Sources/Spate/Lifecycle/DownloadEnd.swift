import Foundation
import SpateFilePaths
import SpatePartialFiles

/// How a download ended. It has the path of its file: Foundation takes long to make a URL, and few callers read it.
enum DownloadEnd {
    case finished(FinalPath)
    indirect case failed(DownloadError)
    case cancelled

    var state: DownloadState {
        switch self {
        case .finished(let path): .finished(path.url)
        case .failed(let error): .failed(error)
        case .cancelled: .cancelled
        }
    }

    func result(of download: Download) -> Result<URL, DownloadError> {
        switch self {
        case .finished(let path): .success(path.url)
        case .failed(let error): .failure(error)
        case .cancelled: .failure(download.cancellation)
        }
    }

    /// Why the download ended without its file.
    func error(of download: Download) -> DownloadError? {
        switch self {
        case .finished: nil
        case .failed(let error): error
        case .cancelled: download.cancellation
        }
    }
}

extension FinalPath {
    fileprivate var url: URL { URL(fileURLWithPath: path.text, isDirectory: false) }
}
