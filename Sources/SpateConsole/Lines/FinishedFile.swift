import Foundation
import Spate

/// A finished file, as a line and for the summary.
struct FinishedFile {
    /// When the first attempt of this run began, and from where the bytes of this run count.
    struct Begin {
        let time: ContinuousClock.Instant
        private(set) var received: Int64

        init(_ download: ShownDownload, at time: ContinuousClock.Instant) {
            (self.time, received) = (time, download.progress.receivedBytes)
        }

        /// A file may have to be fetched again from the start.
        mutating func note(_ progress: DownloadProgress) {
            received = min(received, progress.receivedBytes)
        }
    }

    let update: DownloadUpdate?
    /// The bytes that came in this run.
    let fetchedBytes: Int64
    let size: Int64
    private let name: String
    private let time: Duration?

    /// - Parameter begin: `nil` if no attempt has run.
    init(_ file: URL, of download: ShownDownload, since begin: Begin?, now: ContinuousClock.Instant) {
        name = PlainText.oneLine(file.lastPathComponent)
        update = download.update
        let size = download.progress.receivedBytes
        self.size = size
        fetchedBytes = begin.map { size - $0.received } ?? 0
        time = begin.map { now - $0.time }
    }

    /// Whether an attempt has run.
    var wasFetched: Bool { time != nil }

    /// "a.iso: 40 MB in 13 s, 3.1 MB/s", with the name as `paint` makes it.
    func text(_ paint: (String) -> String = { $0 }) -> String {
        var text = "\(paint(name)): \(DownloadFormat.size(size))"
        if update == .unchanged { return text + ", unchanged" }
        guard let time else { return text + ", already here" }
        text += " in \(DownloadFormat.elapsed(time))"
        if let speed = Self.speed(fetchedBytes, in: time) { text += ", \(speed)" }
        return update == .updated ? text + ", updated" : text
    }

    /// `nil` if that says nothing: of a short time, most was spent on connecting and on the disk.
    static func speed(_ bytes: Int64, in time: Duration) -> String? {
        guard bytes > 0, time >= .milliseconds(500) else { return nil }
        return DownloadFormat.speed(Double(bytes) / (time / .seconds(1)))
    }
}
