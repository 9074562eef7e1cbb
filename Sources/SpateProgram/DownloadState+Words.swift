import Foundation
import Spate

extension DownloadState {
    /// The end that a result tells.
    init(_ result: Result<URL, DownloadError>) {
        switch result {
        case .success(let file): self = .finished(file)
        case .failure(let error): self = error.code == .cancelled ? .cancelled : .failed(error)
        }
    }

    /// The word that scripts read for it.
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

extension DownloadRemark {
    /// Whether a user needs to know it: that a server can't continue a file doesn't matter any more when it is whole.
    func matters(after state: DownloadState) -> Bool {
        if case .finished = state { return self != .notResumable }
        return self == .notResumable
    }
}
