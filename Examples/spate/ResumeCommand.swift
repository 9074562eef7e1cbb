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
            StandardStream.error.writeLine("spate: \(Address.oneLine(error.localizedDescription))")
            return 1
        }
        let orders = stored.filter { !$0.isFinished }.map { partial in
            DownloadOrder(address: Address(stored: partial.url), fileName: partial.file.lastPathComponent)
        }
        if orders.isEmpty, !arguments.isQuiet {
            StandardStream.error.writeLine("Nothing is left to finish in \(arguments.folder.path).")
        }
        return GetCommand.fetch(orders, arguments)
    }
}
