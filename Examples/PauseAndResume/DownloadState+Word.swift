import Spate

extension DownloadState {
    /// The state in a word.
    var word: String {
        switch self {
        case .waiting(.slot), .waiting(.host): "waiting"
        case .waiting(.retry): "will retry"
        case .waiting(.disk): "syncing"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
