import Spate

/// The last line of a run: files, bytes, time, speed and failures.
struct RunSummary {
    private var fetched = 0
    private var size: Int64 = 0
    /// The bytes that came in this run. Those of partial files were there.
    private var fetchedBytes: Int64 = 0
    private var updated = 0
    private var unchanged = 0
    private var alreadyHere = 0
    var cancelled = 0

    /// The number of ended downloads that have not failed.
    var count: Int { fetched + unchanged + alreadyHere + cancelled }

    mutating func note(_ file: FinishedFile) {
        if file.update == .unchanged {
            unchanged += 1
        } else if file.wasFetched {
            fetched += 1
            size += file.size
            fetchedBytes += file.fetchedBytes
            if file.update == .updated { updated += 1 }
        } else {
            alreadyHere += 1
        }
    }

    /// "5 files, 602 MB in 50 s, 12 MB/s, 4 failed (3 HTTP 404, 1 timed out): spate resume".
    ///
    /// - Parameter cure: the command that tries the failed ones again.
    func text(after time: Duration, _ failures: FailureCounts, cure: String?) -> String {
        var parts = [
            "\(PlainText.count(fetched, "file")), \(DownloadFormat.size(size)) in \(DownloadFormat.elapsed(time))"
        ]
        if let speed = FinishedFile.speed(fetchedBytes, in: time) { parts.append(speed) }
        let others = [
            (updated, "updated"), (unchanged, "unchanged"), (alreadyHere, "already here"), (cancelled, "cancelled"),
        ]
        parts += others.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        if !failures.isEmpty { parts.append(failures.text(cure: cure)) }
        return parts.joined(separator: ", ")
    }
}
