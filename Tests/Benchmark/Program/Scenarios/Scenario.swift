/// Work that all programs are given alike.
struct Scenario: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// All files, from nothing to the end.
        case fetch
        /// The same, onto a disk of this speed.
        case slowDisk(bytesPerSecond: Int)
        /// Killed when half is there, and then the rest.
        case resume
        /// Downloads that are enqueued and cancelled, one run for each count.
        case queue(counts: [Int])
    }

    /// What files are written to.
    enum Medium: Sendable, Equatable {
        case memory, disk
        /// The disk, and the files must be synced in the end. A program that leaves them to the system's cache is
        /// followed by a sync.
        case durableDisk
    }

    let name: String
    /// A sentence or two for the help, in lines that fit a page.
    let explanation: String
    let kind: Kind
    let medium: Medium
    let isSecured: Bool
    private(set) var fileCount: Int
    private(set) var fileBytes: Int
    let atOnce: Int

    init(
        _ name: String,
        _ explanation: String,
        kind: Kind = .fetch,
        files fileCount: Int,
        of fileBytes: Int,
        atOnce: Int = 3,
        onto medium: Medium = .memory,
        isSecured: Bool = false
    ) {
        self.name = name
        self.explanation = explanation
        self.kind = kind
        self.medium = medium
        self.isSecured = isSecured
        self.fileCount = fileCount
        self.fileBytes = fileBytes
        self.atOnce = atOnce
    }

    var totalBytes: Int { fileCount * fileBytes }

    /// The downloads of each run of a queue.
    var queueCounts: [Int] {
        if case .queue(let counts) = kind { counts } else { [] }
    }

    /// The same with less or more work: smaller files, or fewer where they are small already.
    func scaled(by scale: Double) -> Scenario {
        guard scale != 1 else { return self }
        func times(_ number: Int) -> Int { max(1, Int((Double(number) * scale).rounded())) }
        if case .queue(let counts) = kind {
            let scaled = counts.map(times)
            return Scenario(name, explanation, kind: .queue(counts: scaled), files: fileCount, of: fileBytes)
        }
        var scenario = self
        if fileBytes < 1 << 20 {
            scenario.fileCount = max(atOnce, times(fileCount))
        } else {
            scenario.fileBytes = times(fileBytes)
        }
        return scenario
    }
}

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
