import Foundation
import HTTPSyntax

/// A download that waits for a slot, and the number of the attempt that it waits for.
///
/// It keeps the manager alive: what was enqueued is finished even if nobody holds the manager any more.
struct WaitingDownload: Waiting {
    let download: Download
    let attempt: Int
    let manager: DownloadManager
    /// Whether somebody asked for it to be tried now.
    var isUrgent = false

    /// The host that it is to connect to.
    var host: HTTPOrigin { download.host }

    /// Tells attempts apart, over all downloads.
    var id: AttemptID { AttemptID(download, attempt) }

    var stillWaits: Bool { download.awaits(attempt) }

    /// A higher priority comes first. Within one priority a download that goes on, after a pause or a retry, comes before
    /// those that have not begun: so partial files are finished before new ones are started.
    var lane: Int {
        let rank =
            switch download.enqueuedRequest.priority {
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

/// The identity of one attempt at one download.
struct AttemptID: Hashable {
    private let download: ObjectIdentifier
    private let number: Int

    init(_ download: Download, _ number: Int) {
        self.download = ObjectIdentifier(download)
        self.number = number
    }
}
