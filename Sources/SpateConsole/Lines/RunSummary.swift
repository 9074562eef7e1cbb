import Spate

/// The last line of a run: files, bytes, time and failures.
struct RunSummary {
    private var fetched = 0
    private var fetchedBytes: Int64 = 0
    private var updated = 0
    private var unchanged = 0
    private var alreadyHere = 0
    var cancelled = 0

    /// The number of ended downloads that have not failed.
    var count: Int { fetched + unchanged + alreadyHere + cancelled }

    /// - Parameter wasFetched: whether an attempt has run.
    mutating func noteFinished(_ download: ShownDownload, wasFetched: Bool) {
        if download.update == .unchanged {
            unchanged += 1
        } else if wasFetched {
            fetched += 1
            fetchedBytes += download.progress.receivedBytes
            if download.update == .updated { updated += 1 }
        } else {
            alreadyHere += 1
        }
    }

    func text(after time: Duration, _ failures: FailureCounts) -> String {
        let size = DownloadFormat.size(fetchedBytes)
        var text = "\(PlainText.count(fetched, "file")), \(size) in \(DownloadFormat.elapsed(time))"
        let others = [
            (updated, "updated"), (unchanged, "unchanged"), (alreadyHere, "already here"), (cancelled, "cancelled"),
        ]
        for (count, word) in others where count > 0 {
            text += ", \(count) \(word)"
        }
        // Last, because of its own commas.
        if !failures.isEmpty { text += ", \(failures.text)" }
        return text
    }
}
