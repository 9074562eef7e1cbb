import Foundation
import Spate
import SpateConsole

/// The lines after a signal has stopped the run: the kept files, and how to continue.
struct StopSummary {
    struct Partial: Equatable {
        let name: String
        let received: Int64
        let total: Int64?
    }

    /// The partial files of the stopped downloads.
    let kept: [Partial]
    /// The number of stopped downloads without a partial file. They are in the queue.
    let notStarted: Int
    /// Whether part of the list is not in the queue yet.
    var listHasMore = false
    /// Whether a URL had a user or password. They are not stored, so `resume` can't continue it.
    var hadCredentials = false
    /// Whether a list gave a file its own headers. They are not stored either.
    var hadHeaders = false
    /// Whether the queue could be written.
    var isQueueKept = true
    var arguments: Arguments

    var lines: [String] {
        if arguments.writesContent { return ["spate: stopped; nothing was written to standard output."] }
        let waiting = notStarted > 0 ? "; \(PlainText.count(notStarted, "download")) had not started" : ""
        let files = kept.isEmpty ? "there are no partial files" : "partial files kept: \(Self.list(kept))"
        return ["spate: stopped; \(files)\(waiting)."] + hints
    }

    private var hints: [String] {
        if hadCredentials || hadHeaders {
            let lost = hadCredentials ? "users and passwords in URLs are" : "the list's headers are"
            return ["spate: to continue: \(Self.sameCommand), because \(lost) not stored"]
        }
        if !isQueueKept {
            return ["spate: to continue: \(Self.sameCommand), because the queue could not be stored"]
        }
        if kept.isEmpty, notStarted == 0 {
            return listHasMore ? ["spate: to continue: \(Self.sameCommand)"] : []
        }
        return ["spate: to continue: \(arguments.resumeAdvice)"]
            + (listHasMore ? ["spate: a part of the list was not read: to fetch all, \(Self.sameCommand)"] : [])
    }

    private static func list(_ kept: [Partial]) -> String {
        var names = kept.prefix(5).map { "\($0.name) (\(DownloadFormat.amount($0.received, of: $0.total)))" }
        if kept.count > names.count { names.append("\(kept.count - names.count) more") }
        return names.joined(separator: ", ")
    }

    static let sameCommand = "run the same command again"
}

extension StopSummary.Partial {
    /// The partial file of a stopped download, as far as the download knows it; `nil` if it has no bytes. The folder is
    /// not read: it may have very many files, and the user waits.
    init?(of download: Download) {
        let progress = download.progress
        guard progress.receivedBytes > 0 else { return nil }
        let name = DownloadItem(stored: download.request).name
        self.init(name: name, received: progress.receivedBytes, total: progress.totalBytes)
    }
}
