import Foundation

extension DownloadState: CustomStringConvertible {
    /// The state for people: "running", or "failed: …" with the error's message. The wording may change.
    public var description: String {
        switch self {
        case .waiting(let reason): "waiting \(reason)"
        case .running: "running"
        case .paused: "paused"
        case .finished(let file): "finished: \(file.path)"
        case .failed(let error): "failed: \(error.message)"
        case .cancelled: "cancelled"
        }
    }
}

extension WaitReason: CustomStringConvertible {
    /// The reason for people: "for a slot", "for the disk", or "to try again at …" with the error's message. The wording may
    /// change.
    public var description: String {
        switch self {
        case .slot: "for a slot"
        case .host: "for its host"
        case .retry(let date, let error): "to try again at \(date): \(error.message)"
        case .disk: "for the disk"
        }
    }
}

extension DownloadEvent: CustomStringConvertible {
    /// The state or the progress for people. The wording may change.
    public var description: String {
        switch self {
        case .state(let state): "\(state)"
        case .progress(let progress): "\(progress)"
        }
    }
}
