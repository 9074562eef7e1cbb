import Foundation
import Spate

/// `spate delete`: deletes the finished and partial files of URLs.
enum DeleteCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let urls = try arguments.allURLs()
        try arguments.checkFolderExists()
        let manager = arguments.manager()
        var failures = 0
        let report = { (notice: Notice) in
            failures += 1
            StandardStream.error.writeNotice(notice)
        }
        do {
            let keys = Set(try manager.storedDownloads().map { DownloadURL(stored: $0.url).key })
            for source in urls {
                guard keys.contains(source.key) else {
                    // An interrupted deletion may have left a sidecar file.
                    try? manager.delete(source.url)
                    report(.nothingOf(source.shown, in: arguments.folder.path))
                    continue
                }
                do {
                    try manager.delete(source.url)
                } catch {
                    report(.failure(error.localizedDescription, of: source.shown))
                }
            }
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        return failures > 0 ? 1 : 0
    }
}
