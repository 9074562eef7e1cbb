import Spate

/// A download's state without what it carries, so that tables can name it.
enum Standing: Equatable, Sendable {
    case waitsForSlot, waitsForHost, waitsForRetry, running, paused, finished, failed, cancelled

    init(_ state: DownloadState) {
        self =
            switch state {
            case .waiting(.slot): .waitsForSlot
            case .waiting(.host): .waitsForHost
            case .waiting(.retry): .waitsForRetry
            case .running: .running
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }

    var isTerminal: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waitsForSlot, .waitsForHost, .waitsForRetry, .running, .paused: false
        }
    }
}
