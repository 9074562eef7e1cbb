import Spate

/// A download's state without what it carries, so that tables can name it.
enum Standing: Equatable, Sendable {
    case waitsForSlot, waitsForHost, waitsForRetry, waitsForDisk, running, paused, finished, failed, cancelled

    init(_ state: DownloadState) {
        self =
            switch state {
            case .waiting(.slot): .waitsForSlot
            case .waiting(.host): .waitsForHost
            case .waiting(.retry): .waitsForRetry
            case .waiting(.disk): .waitsForDisk
            case .running: .running
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }

    init(_ download: Download) {
        self = Standing(download.state)
    }

    var isTerminal: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waitsForSlot, .waitsForHost, .waitsForRetry, .waitsForDisk, .running, .paused: false
        }
    }
}

extension Download {
    var waitsForHost: Bool { state == .waiting(.host) }
}
