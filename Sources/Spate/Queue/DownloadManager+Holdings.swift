import Locking

extension DownloadManager {
    /// What its downloads hold at one moment. All of it is given back when they have ended.
    package struct Holdings: Sendable, Hashable {
        /// Attempts that have started, and not finished: each has a slot.
        package var slots = 0
        /// Attempts that the operation queue was given, and has not started.
        package var handedOver = 0
        /// Downloads in a line, some of which may have left it.
        package var waiting = 0
        /// Connections that were leased, or are about to be made.
        package var leases = 0
        /// Attempts that may have a file open.
        package var files = 0

        package init() {}
    }

    package var holdings: Holdings {
        var holdings = feed.holdings
        holdings.files = table.withLock { $0.holders.count }
        return holdings
    }

    /// Whether an attempt may have the file of this download open: another one waits for its end.
    package func hasOpenFile(_ download: Download) -> Bool { table.withLock { $0.holder(of: download) } != nil }
}
