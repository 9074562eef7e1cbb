import Foundation
import Spate

/// `spate resume`: finishes every partial file of the folder.
enum ResumeCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        try arguments.checkFolderExists()
        try arguments.checkAuthorities()
        let stored: [StoredDownload]
        do {
            stored = try arguments.manager().storedDownloads()
        } catch {
            StandardStream.error.tell(.failure(error.localizedDescription))
            return 1
        }
        var keys: Set<String> = []
        let orders = stored.filter { !$0.isFinished }.compactMap { partial -> DownloadOrder? in
            let address = Address(stored: partial.url)
            // Of several files of one URL, under names that were chosen for them, the library fetches one at a time.
            guard keys.insert(address.key).inserted else { return nil }
            return DownloadOrder(address: address, fileName: partial.file.lastPathComponent)
        }
        if orders.isEmpty, !arguments.isQuiet {
            StandardStream.error.tell(.nothingToFinish(in: arguments.folder.path))
        }
        return GetCommand.fetch(orders, arguments)
    }
}
