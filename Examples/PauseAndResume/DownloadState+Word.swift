import Spate

extension DownloadState {
    /// The state in a word.
    var word: String {
        switch self {
        case .waiting(.slot): "waiting"
        case .waiting(.host): "waiting for its host"
        case .waiting(.retry): "will retry"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
