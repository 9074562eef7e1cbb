import Foundation
import Spate

/// All events as JSON on standard output, an object a line, always with the same keys in the same order.
final class JSONLines: Display {
    let showsEvents = true
    private(set) var isClosed = false
    private let writeOutput: (String) -> Bool
    private let writeError: (String) -> Void

    /// - Parameters:
    ///   - output: writes a line of JSON; `false` when nobody reads it any more.
    ///   - error: writes a line for people.
    init(output: @escaping (String) -> Bool, error: @escaping (String) -> Void) {
        writeOutput = output
        writeError = error
    }

    func show(_ event: DownloadEvent, of download: ShownDownload) {
        switch event {
        case .state(let state):
            var line = JSONLine(event: "state", url: download.url, state: state.word, progress: download.progress)
            switch state {
            case .finished(let file): line.file = file.path
            case .failed(let error), .waiting(.retry(_, let error)): line.error = Address.oneLine(error.message)
            default: break
            }
            write(line)
        case .progress(let progress):
            write(JSONLine(event: "progress", url: download.url, state: "running", progress: progress))
        }
    }

    func say(_ line: String) {
        writeError(line)
    }

    private func write(_ line: JSONLine) {
        if !isClosed, !writeOutput(line.text) { isClosed = true }
    }
}
