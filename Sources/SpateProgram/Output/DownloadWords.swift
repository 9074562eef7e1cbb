import Foundation
import Spate

extension DownloadState {
    /// The terminal state of a result.
    init(_ result: Result<URL, DownloadError>) {
        switch result {
        case .success(let file): self = .finished(file)
        case .failure(let error): self = error.code == .cancelled ? .cancelled : .failed(error)
        }
    }

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

extension DownloadUpdate {
    /// The word in all output. Scripts rely on it.
    var word: String {
        switch self {
        case .unchanged: "unchanged"
        case .updated: "updated"
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

extension DownloadError {
    /// What went wrong, in a few words, for a retry. The user does not have to do anything.
    var inBrief: String {
        switch code {
        case .httpStatus: statusCode.map { "the server answered \($0)" } ?? "the server refused"
        case .hostNotFound: "host not found"
        case .connectionFailed: "connection failed"
        case .proxy: statusCode.map { "the proxy answered \($0)" } ?? "the proxy failed"
        case .tls: "TLS failed"
        case .timedOut: "timed out"
        case .incomplete: "the connection ended early"
        case .badResponse: "invalid response"
        case .redirect: "redirect failed"
        case .checksumMismatch: "wrong checksum"
        case .diskFull: "the disk is full"
        case .inUse: "in use by another process"
        // A later version of the library may retry more.
        default: "\(code)"
        }
    }
}
