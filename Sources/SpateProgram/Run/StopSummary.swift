import Foundation
import Spate
import SpateConsole
import SpateFilePaths

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
        let first = "spate: to continue: \(arguments.resumeAdvice)"
        return [first]
            + (listHasMore ? ["spate: a part of the list was not read: to fetch all, \(Self.sameCommand)"] : [])
    }

    private static func list(_ kept: [Partial]) -> String {
        var names = kept.prefix(5).map { "\($0.name) (\(DownloadFormat.amount($0.received, of: $0.total)))" }
        if kept.count > names.count { names.append("\(kept.count - names.count) more") }
        return names.joined(separator: ", ")
    }

    static let sameCommand = "run the same command again"
}

extension StopSummary {
    /// The partial files of stopped downloads, in the manager's folder and in those that a list named.
    static func partials(of stopped: [Download], in manager: DownloadManager, _ arguments: Arguments) -> [Partial] {
        let keys = Set(stopped.map { DownloadURL(stored: $0.url).key })
        let otherFolders = Set(stopped.compactMap(\.request.directory))
        let sorted = otherFolders.sorted { FilePath($0.path) < FilePath($1.path) }
        let managers = [manager] + sorted.map { arguments.manager(in: $0) }
        let stored = managers.flatMap { (try? $0.storedDownloads()) ?? [] }
        // One folder may have several names, or be in the manager's.
        var known: Set<URL> = []
        return stored.filter { stored in
            !stored.isFinished && stored.receivedBytes > 0 && keys.contains(DownloadURL(stored: stored.url).key)
                && known.insert(place(of: stored.file)).inserted
        }.map { stored in
            Partial(
                name: PlainText.oneLine(stored.file.lastPathComponent),
                received: stored.receivedBytes,
                total: stored.totalBytes
            )
        }
    }

    private static func place(of file: URL) -> URL {
        file.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(file.lastPathComponent)
    }
}
