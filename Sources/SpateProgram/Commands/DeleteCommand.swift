import Foundation
import Spate

/// `spate delete`: deletes the finished and partial files of URLs.
enum DeleteCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let items = try arguments.allItems()
        try arguments.checkFolderExists()
        var failures = 0
        // A list may have a folder for each URL.
        for (folder, items) in Dictionary(grouping: items, by: { $0.folder ?? arguments.folder })
            .sorted(by: { $0.key.path < $1.key.path })
        {
            failures += delete(items.map(\.source), in: folder, arguments)
        }
        return failures > 0 ? 1 : 0
    }

    /// Returns how many failed.
    private static func delete(_ urls: [DownloadURL], in folder: URL, _ arguments: Arguments) -> Int {
        let manager = arguments.manager(in: folder)
        var failures = 0
        let report = { (notice: Notice) in
            failures += 1
            StandardStream.error.writeNotice(notice)
        }
        do {
            // One URL can have several files, under chosen names. They are deleted by name, because deleting a URL reads the
            // whole folder each time.
            let names = Dictionary(grouping: try manager.storedDownloads()) { DownloadURL(stored: $0.url).key }
                .mapValues { Set($0.map(\.file.lastPathComponent)) }
            for source in urls {
                var request = DownloadRequest(source.url)
                if names[source.key] == nil {
                    // An interrupted deletion may have left a sidecar file.
                    try? manager.delete(request)
                    report(.nothingOf(source.shown, in: folder.path))
                }
                for name in names[source.key]?.sorted() ?? [] {
                    request.fileName = name
                    do {
                        try manager.delete(request)
                    } catch {
                        report(.failure(error.localizedDescription, of: source.shown))
                    }
                }
            }
        } catch {
            report(.failure(error.localizedDescription))
        }
        return failures
    }
}
