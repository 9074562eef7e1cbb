import Foundation
import HTTPSyntax

/// A download that waits for a slot, and the number of the attempt that it waits for.
///
/// It keeps the manager alive: what was enqueued is finished even if nobody holds the manager any more.
struct WaitingDownload: Sendable {
    let download: Download
    let attempt: Int
    let manager: DownloadManager
    /// Whether somebody asked for it to be tried now.
    var isUrgent = false

    /// The host that it is to connect to.
    var host: HTTPOrigin { download.host }

    /// Tells attempts apart, over all downloads.
    var id: AttemptID { AttemptID(download, attempt) }
}

/// The identity of one attempt at one download.
struct AttemptID: Hashable {
    private let download: ObjectIdentifier
    private let number: Int

    init(_ download: Download, _ number: Int) {
        self.download = ObjectIdentifier(download)
        self.number = number
    }
}

/// The downloads that wait for a slot, in the order in which they get one.
///
/// Higher priorities come first. Within one priority a download that goes on, after a pause or a retry, comes before
/// those that have not begun: so partial files are finished before new ones are started. Otherwise first come, first
/// served.
struct WaitingLine: Sendable {
    /// Two for each priority, the highest first.
    private var lanes = Array(repeating: FIFO<WaitingDownload>(), count: 10)
    private(set) var count = 0

    mutating func append(_ waiting: WaitingDownload) {
        lanes[Self.lane(for: waiting)].append(waiting)
        count += 1
    }

    /// The place of a download among all that wait, in whatever line: a smaller one comes first.
    struct Rank {
        let lane: Int
        let serial: UInt64

        static func < (left: Rank, right: Rank) -> Bool { (left.lane, left.serial) < (right.lane, right.serial) }
    }

    var firstRank: Rank? {
        guard count > 0, let lane = lanes.firstIndex(where: { !$0.isEmpty }), let first = lanes[lane].first else {
            return nil
        }
        return Rank(lane: lane, serial: first.download.serial)
    }

    mutating func popFirst() -> WaitingDownload? {
        guard count > 0 else { return nil }
        for index in lanes.indices {
            if let first = lanes[index].popFirst() {
                count -= 1
                return first
            }
        }
        return nil
    }

    /// Removes those that no longer wait. They are returned because the last reference to a manager may be among them,
    /// and must not be released under a lock.
    mutating func removeStale() -> [WaitingDownload] {
        var stale: [WaitingDownload] = []
        for index in lanes.indices {
            stale += lanes[index].removeAll { !$0.download.awaits($0.attempt) }
        }
        count -= stale.count
        return stale
    }

    private static func lane(for waiting: WaitingDownload) -> Int {
        let rank =
            switch waiting.download.enqueuedRequest.priority {
            case .veryHigh: 0
            case .high: 1
            case .normal: 2
            case .low: 3
            case .veryLow: 4
            @unknown default: 2
            }
        return 2 * rank + (waiting.attempt == 1 ? 1 : 0)
    }
}
