import Foundation
import Spate

/// `spate resume`: finishes every partial file of a folder.
enum ResumeCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        try given.checkFolderExists()
        try given.checkAuthorities()
        if let log = given.log { try LogFile.check(log) }
        let arguments = try given.readingHeaderFiles()
        let files = try OptionFiles(arguments)
        let stored: [StoredDownload]
        do {
            stored = try arguments.manager().storedDownloads()
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        let finished = Set(stored.filter(\.isFinished).map { [$0.url.absoluteString, $0.file.path] })
        var keys: Set<String> = []
        let items = stored.filter { !$0.isFinished }.compactMap { partial -> DownloadItem? in
            let source = DownloadURL(stored: partial.url)
            // One URL can have several partial files, under chosen names. The library fetches one of them at a time.
            guard keys.insert(source.key).inserted else { return nil }
            var item = DownloadItem(source: source, fileName: partial.file.lastPathComponent)
            item.isUpdate = finished.contains([partial.url.absoluteString, partial.file.path])
            return item
        }
        if items.isEmpty, !arguments.isQuiet {
            StandardStream.error.writeNotice(.nothingToFinish(in: arguments.folder.path))
        }
        return try GetCommand.fetch(GetCommand.Prepared(arguments: arguments, items: items, files: files))
    }
}
