import SpateLocking

extension DownloadManager {
    /// What its downloads hold at one moment. Everything is returned when they have ended.
    package struct Holdings: Sendable, Hashable {
        /// Running attempts with a slot.
        package var slots = 0
        /// Attempts whose files wait for the disk, without a slot.
        package var syncs = 0
        /// Attempts in the operation queue that have not started.
        package var handedOver = 0
        /// Downloads in a line, including stale entries.
        package var waiting = 0
        /// Leased connections.
        package var leases = 0
        /// Files that may have several connections.
        package var divided = 0
        /// Attempts that may have a file open.
        package var files = 0

        package init() {}
    }

    /// A host that bears only so many downloads at once.
    package struct PacedHost: Sendable, Hashable {
        package let limit: Int
        package let connections: Int
    }

    /// The hosts that have a limit of their own, since they bore no more.
    package var pacedHosts: [String: PacedHost] { feed.state.withLock { $0.hosts.pacedHosts } }

    package var holdings: Holdings {
        var holdings = feed.holdings
        holdings.files = table.withLock { $0.holders.count }
        return holdings
    }

    /// Whether an attempt may have the file of this download open. Another attempt waits for its end.
    package func hasOpenFile(_ download: Download) -> Bool { table.withLock { $0.holder(of: download) } != nil }
}
