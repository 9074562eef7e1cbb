extension Scenario {
    /// What has nothing in it yet.
    var emptyResult: ScenarioResult {
        ScenarioResult(name: name, work: work, measure: measure, totalBytes: totalBytes, fileCount: fileCount)
    }

    private var measure: ScenarioResult.Measure {
        switch kind {
        case .fetch: .wall
        case .slowDisk: .memory
        case .resume: .fetched
        case .queue: .queue
        }
    }

    /// The work in a few words: `3 files of 512 MiB, 3 at once, onto tmpfs`.
    var work: String {
        if case .queue = kind { return "downloads enqueued and cancelled" }
        let files =
            "\(QuantityText.count(fileCount)) \(fileCount == 1 ? "file" : "files") of \(QuantityText.bytes(fileBytes))"
        var words = [files + (isSecured ? " over https" : "")]
        if fileCount > 1 { words.append("\(atOnce) at once") }
        switch kind {
        case .slowDisk(let speed): words.append("onto a disk that takes \(speed / 1_000_000) MB/s")
        case .resume: words.append("killed at half, and then the rest")
        default:
            switch medium {
            case .memory: words.append("onto tmpfs")
            case .disk: words.append("onto the disk")
            case .durableDisk: words.append("onto the disk's medium")
            }
        }
        return words.joined(separator: ", ")
    }
}
