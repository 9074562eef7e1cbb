import Spate

extension DownloadState {
    /// What a person calls it.
    var word: String {
        switch self {
        case .waiting(.slot): "waiting"
        case .waiting(.retry): "will try again"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
