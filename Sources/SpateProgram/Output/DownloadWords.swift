import Spate

extension DownloadState {
    /// The word in the JSON output. Scripts rely on it.
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
    /// Whether the user needs to know. `notResumable` matters only if the file is not complete.
    func matters(after state: DownloadState) -> Bool {
        if case .finished = state { return self != .notResumable }
        return self == .notResumable
    }
}

extension ConcurrencyChange {
    /// The change in words for users.
    var words: String {
        let reason =
            switch reason {
            case .smallFiles: "small files come quickly"
            case .faster: "all together have become faster"
            case .trial: "trying whether more are faster"
            case .fewer: "trying whether fewer are as fast"
            case .slower: "fewer were slower"
            case .noGain: "more were not faster"
            case .overload: "with more, far less came"
            case .turnedAway: "the server turned connections away"
            case .known: "this was right before"
            case .set: "chosen with a key"
            }
        return "\(limit) at once\(host.map { " from \($0)" } ?? ""): \(reason)"
    }
}
