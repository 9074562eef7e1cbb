import Foundation
import Spate

/// Reads commands line by line. It knows no more of the downloads than their URLs.
struct Menu: Sendable {
    let manager: DownloadManager
    let urls: [URL]
    private let queue = DispatchQueue(label: "menu")

    init(manager: DownloadManager, urls: [URL]) {
        self.manager = manager
        self.urls = urls
    }

    /// Returns at the end of the input. Nobody could resume anything then, so all goes on. Reading blocks: give it a
    /// thread of its own, no task.
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

    /// Returns when the last command has done all that it does: a download that is deleted ends before its file is gone.
    func waitForLastCommand() {
        queue.sync {}
    }

    private func perform(_ command: String, number: String) {
        guard let index = Int(number), urls.indices.contains(index - 1) else {
            return say("There is no \(number); list shows the numbers.")
        }
        let url = urls[index - 1]
        switch command {
        case "pause": manager.pause(url)
        case "resume": manager.resume(url)
        case "cancel": manager.cancel(url)
        case "delete":
            do { try manager.delete(url) } catch { say("\(error)") }
        default: say("\(command) is none of: pause, resume, cancel, delete.")
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
        // Keeps what is there in part: the next run goes on with it.
        case "quit": manager.cancelAll()
        default:
            say("\(command) is none of: list, pause, resume, quit; and pause, resume, cancel, delete with a number.")
        }
    }

    /// Tells what happened to a download.
    func tell(_ download: Download, _ state: DownloadState) {
        let name = download.url.lastPathComponent
        switch state {
        case .waiting(.retry(_, let error)), .failed(let error): say("\(name): \(state.word): \(error)")
        case .waiting, .running, .finished: say("\(name): \(state.word)")
        case .paused, .cancelled:
            let (received, total) = (download.progress.receivedBytes, download.progress.totalBytes)
            say("\(name): \(state.word) at \(DownloadFormat.amount(received, of: total))")
        }
    }

    private func say(_ line: String) {
        // Unlike print this keeps nothing back, and who reads it from a pipe sees it now, too.
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
