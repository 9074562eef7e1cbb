import Foundation
import SpateHTTPSyntax

/// A download that waits for a slot, and the number of the waiting attempt.
///
/// It keeps the manager alive: enqueued downloads are finished even if nobody holds the manager any more.
struct WaitingDownload: Waiting {
    let download: Download
    let attempt: Int
    let manager: DownloadManager
    /// Its priority when it came. With another one by now, it waits elsewhere in the line.
    private let priority: Operation.QueuePriority
    /// Whether the user asked to try it now.
    let isUrgent: Bool

    init(download: Download, attempt: Int, manager: DownloadManager, isUrgent: Bool = false) {
        (self.download, self.attempt, self.manager, self.isUrgent) = (download, attempt, manager, isUrgent)
        priority = download.priority
    }

    /// The host to connect to; `nil` if it no longer waits.
    var host: HTTPOrigin? { download.host(ofAttempt: attempt, with: priority) }

    var stillWaits: Bool { download.awaits(attempt, with: priority) }

    /// Higher priorities come first. Within one priority a download that continues after a pause or a retry comes
    /// before new ones: so partial files are finished first.
    var lane: Int {
        let rank =
            switch priority {
            case .veryHigh: 0
            case .high: 1
            case .normal: 2
            case .low: 3
            case .veryLow: 4
            @unknown default: 2
            }
        return 2 * rank + (attempt == 1 ? 1 : 0)
    }

    static let laneCount = 10

    var serial: UInt64 { download.serial }
}
