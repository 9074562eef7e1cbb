import Foundation
import Spate
import SpateConsole
import SpateFilePaths

/// `spate delete`: deletes the finished and partial files of URLs.
enum DeleteCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let items = try arguments.allItems()
        try arguments.checkFolderExists()
        var failures = 0
        // A list may have a folder for each URL.
        let start = arguments.folder
        for (folder, items) in Dictionary(grouping: items, by: { $0.settings.folder(below: start) ?? start })
            .sorted(by: { FilePath($0.key.path) < FilePath($1.key.path) })
        {
            failures += delete(items.map(\.source), in: folder, arguments)
        }
        return failures > 0 ? 1 : 0
    }

    /// Returns the number of failures.
    private static func delete(_ sources: [DownloadURL], in folder: URL, _ arguments: Arguments) -> Int {
        let manager = arguments.manager(in: folder)
        var failures = 0
        let report = { (notice: Notice) in
            failures += 1
            StandardStream.error.writeNotice(notice)
        }
        do {
            let files = keys(of: try manager.storedDownloads().map(\.url))
            let requests = try waitingRequests(of: manager)
            let waiting = keys(of: requests.map(\.url))
            var errors = manager.delete(sources.map(\.url))
            for (other, urls) in otherFolders(of: requests, for: sources) {
                errors.merge(arguments.manager(in: other).delete(urls)) { first, _ in first }
            }
            // A running process keeps its own queue, so its downloads are still listed.
            let left =
                sources.allSatisfy { files.contains($0.key) }
                ? [] : keys(of: try waitingRequests(of: manager).map(\.url))
            for source in sources {
                if let error = errors[source.url] {
                    report(.failure(error.localizedDescription, of: source.shown))
                } else if !files.contains(source.key), !waiting.contains(source.key) || left.contains(source.key) {
                    report(.nothingOf(source.shown, in: folder.path))
                }
            }
        } catch {
            report(.failure(error.localizedDescription))
        }
        return failures
    }

    private static func keys(of urls: [URL]) -> Set<String> { Set(urls.map { DownloadURL(stored: $0).key }) }

    /// What has no file in the folder, but waits or has failed.
    private static func waitingRequests(of manager: DownloadManager) throws -> [DownloadRequest] {
        try manager.storedQueue() + manager.storedFailures().map(\.request)
    }

    /// The other folders that requests named, where partial files of these URLs may be.
    private static func otherFolders(of requests: [DownloadRequest], for sources: [DownloadURL]) -> [URL: Set<URL>] {
        let urls = Dictionary(sources.map { ($0.key, $0.url) }) { first, _ in first }
        var folders: [URL: Set<URL>] = [:]
        for request in requests {
            guard let folder = request.directory, let url = urls[DownloadURL(stored: request.url).key] else { continue }
            folders[folder, default: []].insert(url)
        }
        return folders
    }
}
