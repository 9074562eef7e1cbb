import Foundation
import Spate

/// Reads commands line by line. It knows only the URLs of the downloads.
struct Menu: Sendable {
    let manager: DownloadManager
    let urls: [URL]
    private let queue = DispatchQueue(label: "menu")

    init(manager: DownloadManager, urls: [URL]) {
        self.manager = manager
        self.urls = urls
    }

    /// Returns at the end of the input. Then it resumes all downloads, because no command could do so later. It blocks:
    /// run it on a separate thread, not in a task.
    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            queue.sync {
                switch words.count {
                case 0: break
                case 1: perform(words[0])
                default: perform(words[0], number: words[1])
                }
            }
        }
        manager.resumeAll()
    }

    /// Returns when the last command is done. A deleted download ends before its file is deleted.
    func waitForLastCommand() {
        queue.sync {}
    }

    private func perform(_ command: String, number: String) {
        guard let index = Int(number), urls.indices.contains(index - 1) else {
            return say("There is no download \(number). Type list to see the numbers.")
        }
        let url = urls[index - 1]
        switch command {
        case "pause": manager.pause(url)
        case "resume": manager.resume(url)
        case "cancel": manager.cancel(url)
        case "delete":
            do { try manager.delete(url) } catch { say("\(error)") }
        default: say("Unknown command \(command). Type pause, resume, cancel or delete, and a number.")
        }
    }

    private func perform(_ command: String) {
        switch command {
        case "list":
            for (index, url) in urls.enumerated() {
                say("\(index + 1)  \(url)  \(manager[url].map { "\($0.state.word), \($0.progress)" } ?? "ended")")
            }
        case "pause": manager.pauseAll()
        case "resume": manager.resumeAll()
        // Keeps the partial files. The next run continues them.
        case "quit": manager.cancelAll()
        default:
            say("Unknown command \(command). Type list, pause, resume or quit, or a command with a number.")
        }
    }

    /// Prints the state of a download.
    func report(_ download: Download, _ state: DownloadState) {
        let name = download.url.lastPathComponent
        switch state {
        case .waiting(.retry(_, let error)), .failed(let error): say("\(name): \(state.word): \(error.message)")
        case .waiting, .running, .finished: say("\(name): \(state.word)")
        case .paused, .cancelled:
            let (received, total) = (download.progress.receivedBytes, download.progress.totalBytes)
            say("\(name): \(state.word) at \(DownloadFormat.amount(received, of: total))")
        }
    }

    private func say(_ line: String) {
        // Unlike `print`, this is not buffered, so the reader of a pipe sees it at once.
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
