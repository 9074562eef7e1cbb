import Foundation
import Spate

/// `spate delete`: removes the finished and partial files of the URLs that were given.
enum DeleteCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        let addresses = try arguments.addresses()
        try arguments.checkFolderExists()
        let manager = arguments.manager()
        var failures = 0
        let report = { (notice: Notice) in
            failures += 1
            StandardStream.error.tell(notice)
        }
        do {
            let counts = Dictionary(grouping: try manager.storedDownloads()) { Address(stored: $0.url).key }
                .mapValues(\.count)
            for address in addresses {
                guard let count = counts[address.key] else {
                    // Nothing but, it may be, a sidecar that a deletion which was stopped left behind.
                    try? manager.delete(address.url)
                    report(.nothingOf(address.shown, in: arguments.folder.path))
                    continue
                }
                do {
                    // One URL may have several files, under names that were chosen for them.
                    for _ in 0..<count { try manager.delete(address.url) }
                } catch {
                    report(.failure(error.localizedDescription, of: address.shown))
                }
            }
        } catch {
            StandardStream.error.tell(.failure(error.localizedDescription))
            return 1
        }
        return failures > 0 ? 1 : 0
    }
}
